import { Failure } from "./failure.ts";

const HEALTH_MS = 10_000;

/**
 * Checks that an address belongs to a Soul Hub. Another server must receive no credential.
 * @param place the address as messages name it
 * @throws Failure `no_hub`
 */
export async function assertHub(url: string, place = url, advice = ""): Promise<void> {
  const signal = AbortSignal.timeout(HEALTH_MS);
  const asking = fetch(new URL("/healthz", url), { signal, redirect: "error" });
  const response = await asking.catch((cause: unknown) => {
    throw new Failure("no_hub", `No hub answers at ${place}.${advice}`, { cause });
  });
  const health: unknown = await response.json().catch(() => null);
  if (memberOf(health, "status") === "ok" && typeof memberOf(health, "version") === "string")
    return;
  throw new Failure("no_hub", `The server at ${place} is not a Soul Hub.`);
}

/** Returns a member of a value of unknown shape; undefined if it is missing. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;

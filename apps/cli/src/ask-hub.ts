import { createHubClient, type HubClient } from "@soul-hub/client";
import { TRPCClientError } from "@trpc/client";
import { z } from "zod";
import { CommandFailure } from "./command-failure.ts";
import type { HubPlace } from "./find-hub.ts";

export type Hub = HubClient["client"];

const HEALTH_MS = 10_000;
const health = z.object({ status: z.literal("ok"), version: z.string() });

/**
 * Asks the hub one thing as its operator.
 * @throws CommandFailure `no_hub`, `token_refused`, or with the hub's own code
 */
export async function askHub<T>(place: HubPlace, ask: (hub: Hub) => Promise<T>): Promise<T> {
  await assertHub(place);
  const { client, close } = createHubClient({ baseUrl: place.baseUrl, key: place.token });
  try {
    return await ask(client);
  } catch (error) {
    throw toFailure(error, place);
  } finally {
    await close();
  }
}

/** Before the token goes there: an address left behind, or mistyped, may be somebody else's. */
async function assertHub({ baseUrl, baseUrlFrom }: HubPlace): Promise<void> {
  const where = `${baseUrl} (${baseUrlFrom})`;
  let answer: unknown;
  try {
    const signal = AbortSignal.timeout(HEALTH_MS);
    const response = await fetch(new URL("/healthz", baseUrl), { signal, redirect: "error" });
    answer = await response.json().catch(() => undefined);
  } catch (cause) {
    throw new CommandFailure("no_hub", `No hub answers at ${where}. Is it running?`, { cause });
  }
  if (health.safeParse(answer).success) return;
  throw new CommandFailure("no_hub", `What answers at ${where} is not a Soul Hub.`);
}

const refusal = z.object({
  error: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })).default([]),
});

function toFailure(error: unknown, place: HubPlace): unknown {
  if (!(error instanceof TRPCClientError)) return error;
  const { data, success } = refusal.safeParse(error.data);
  if (!success) {
    const message = `The hub at ${place.baseUrl} gave no answer.`;
    return new CommandFailure("no_hub", message, { cause: error });
  }
  if (data.error === "not_found") {
    return new CommandFailure(
      "token_refused",
      `The hub at ${place.baseUrl} (${place.baseUrlFrom}) refuses the ADMIN_TOKEN ${place.tokenFrom}.`,
    );
  }
  const details = data.details.map(({ field, message }) => `${names[field] ?? field}: ${message}`);
  return new CommandFailure(data.error, details.join("\n") || error.message);
}

/** The hub's fields as the command line has them. */
const names: Readonly<Record<string, string>> = { expires_at: "--until", days: "--days" };

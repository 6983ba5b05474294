import { createHubClient, type HubClient } from "@soul-hub/client";
import { assertHub, Failure } from "@soul-hub/program";
import { TRPCClientError } from "@trpc/client";
import { z } from "zod";
import type { HubLocation } from "./find-hub.ts";

export type Hub = HubClient["client"];

/**
 * Calls the hub with the operator's token, and returns what the callback `call` returns.
 * @throws Failure `no_hub`, `token_refused`, or the hub's error code
 */
export async function askHub<T>(location: HubLocation, call: (hub: Hub) => Promise<T>): Promise<T> {
  await assertOwnHub(location);
  const { client, close } = createHubClient({ baseUrl: location.baseUrl, key: location.token });
  try {
    return await call(client);
  } catch (error) {
    throw toFailure(error, location);
  } finally {
    await close();
  }
}

export const assertOwnHub = ({ baseUrl, baseUrlSource }: HubLocation): Promise<void> =>
  assertHub(baseUrl, `${baseUrl} (${baseUrlSource})`, " Is it running?");

const refusal = z.object({
  error: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })).default([]),
});

export const tokenRefused = ({ baseUrl, baseUrlSource, tokenSource }: HubLocation): Failure =>
  new Failure(
    "token_refused",
    `The hub at ${baseUrl} (${baseUrlSource}) rejected the ADMIN_TOKEN ${tokenSource}.`,
  );

export const noValidResponse = ({ baseUrl }: HubLocation, cause: unknown): Failure =>
  new Failure("no_hub", `The hub at ${baseUrl} did not return a valid response.`, { cause });

function toFailure(error: unknown, location: HubLocation): unknown {
  if (!(error instanceof TRPCClientError)) return error;
  const { data, success } = refusal.safeParse(error.data);
  if (!success) return noValidResponse(location, error);
  if (data.error === "not_found") return tokenRefused(location);
  const details = data.details.map(
    ({ field, message }) => `${optionNames[field] ?? field}: ${message}`,
  );
  return new Failure(data.error, details.join("\n") || error.message);
}

/** Maps the hub's field names to the options of the command line. */
const optionNames: Readonly<Record<string, string>> = { expires_at: "--until", days: "--days" };

import { createHubClient, type HubClient } from "@soul-hub/client";
import { Failure, memberOf } from "@soul-hub/program";
import { TRPCClientError } from "@trpc/client";
import type { Target } from "../config.ts";

/** A hub as one command uses it. */
export interface Hub {
  readonly url: string;
  /** The procedures that carry JSON. */
  readonly client: HubClient["client"];
  /**
   * Sends a request to REST, `/v1` or `/mcp`, with the key.
   * @throws Failure `no_hub`
   */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/**
 * Calls a hub, and closes the connection afterwards.
 * @throws Failure of the hub; `no_hub`
 */
export async function withHub<Result>(
  { url, key }: Target,
  call: (hub: Hub) => Promise<Result>,
): Promise<Result> {
  const { client, close } = createHubClient({ baseUrl: url, ...(key && { key }) });
  const hub: Hub = {
    url,
    client,
    async send(path, init = {}) {
      const headers = new Headers(init.headers);
      if (key) headers.set("authorization", `Bearer ${key}`);
      try {
        // The hub redirects nothing. A redirect could lead the key elsewhere.
        return await fetch(new URL(path, url), { ...init, headers, redirect: "error" });
      } catch (cause) {
        init.signal?.throwIfAborted();
        throw noHub(url, cause);
      }
    },
  };
  try {
    return await call(hub);
  } catch (error) {
    throw failureOf(error, url);
  } finally {
    await close();
  }
}

export const noHub = (url: string, cause: unknown) =>
  new Failure("no_hub", `No hub answers at ${url}.`, { cause });

/** Returns the failure of a call; any other error as it is. */
export function failureOf(error: unknown, url: string): unknown {
  if (!(error instanceof TRPCClientError)) return error;
  return toFailure({ ...error.data, message: error.message }) ?? noHub(url, error);
}

/**
 * Passes on a response with a success status.
 * @throws Failure of the hub's body; `no_hub` for the body of another server
 */
export async function accepted(response: Response, url: string): Promise<Response> {
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  throw toFailure(body) ?? noHub(url, response.status);
}

/**
 * Reads the whole body of a response.
 * @throws Failure `no_hub` for one that breaks off or that no hub wrote
 */
export const readBody = <Body>(body: Promise<Body>, url: string): Promise<Body> =>
  body.catch((cause: unknown) => {
    throw noHub(url, cause);
  });

/** Reads the JSON of a response with a success status. The hub's own answers are trusted. */
export const readAnswer = async <Answer>(response: Response, url: string): Promise<Answer> =>
  readBody((await accepted(response, url)).json() as Promise<Answer>, url);

/** A failure as the hub words it; undefined if the hub did not write it. */
export function toFailure(body: unknown): Failure | undefined {
  const inner = memberOf(body, "error");
  // The body of `/v1` has the failure as an object, with the code in it.
  const isV1 = typeof inner === "object" && inner !== null;
  const [code, message] = isV1
    ? [memberOf(inner, "code"), memberOf(inner, "message")]
    : [inner, memberOf(body, "message")];
  if (typeof code !== "string") return undefined;
  const details = memberOf(body, "details");
  const said = Array.isArray(details)
    ? details.map(
        (detail) => `${memberOf(detail, "field") || "The file"} ${memberOf(detail, "message")}.`,
      )
    : [];
  const known = code === "invalid_api_key" ? "unauthenticated" : code;
  const hint = known === "unauthenticated" ? " Run `soul-hub login`." : "";
  return new Failure(known, (said.join("\n") || String(message ?? code)) + hint);
}

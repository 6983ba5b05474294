import { z } from "zod";

/**
 * Limit of a response in bytes. It fits tokens with an embedded image, whose bytes are JSON
 * numbers.
 */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Number of characters that an error message quotes from an answer. */
const QUOTED_CHARS = 200;
const REQUEST_ID = "soul-hub";

/**
 * Answer of a NEAR endpoint. NEAR reports a missing key or a failed contract as HTTP 200 with
 * `result.error`, which becomes `text`. Other failures are JSON-RPC errors, whose `cause.name`
 * becomes `cause`. Some nodes report contract failures as JSON-RPC errors, too.
 */
export type NearAnswer =
  | { kind: "found"; result: Readonly<Record<string, unknown>> }
  | { kind: "refusal"; cause: string; text: string };

/** Sends a JSON-RPC `query` to one endpoint, see {@link queryNear}. */
export type NearQuery = (params: Readonly<Record<string, string>>) => Promise<NearAnswer>;

/** Details of a failed contract call. */
const info = z.looseObject({ vm_error: z.string() }).optional().catch(undefined);

const envelope = z.union([
  z.object({
    id: z.literal(REQUEST_ID),
    error: z.looseObject({ cause: z.looseObject({ name: z.string(), info }) }),
  }),
  z.object({
    id: z.literal(REQUEST_ID),
    error: z.undefined().optional(),
    result: z.looseObject({ error: z.string().optional() }),
  }),
]);

/**
 * Sends one JSON-RPC `query` to one endpoint. Its URL may be http and private, because the operator
 * configured it (decisions §5). Redirects are not followed: their targets are not configured.
 * @param timeoutMs limit for the whole call, including the response body
 * @throws Error on network failure, timeout, another status than 200, excess size or invalid format
 */
export async function queryNear(
  url: string,
  params: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<NearAnswer> {
  const response = await fetch(url, {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: REQUEST_ID,
      method: "query",
      params: { ...params, finality: "final" },
    }),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`The endpoint responded with status ${response.status}`);
  }
  const answer = envelope.parse(JSON.parse(await readAtMost(MAX_RESPONSE_BYTES, response)));
  if ("result" in answer) {
    const { error: text, ...result } = answer.result;
    return text === undefined ? { kind: "found", result } : { kind: "refusal", cause: "", text };
  }
  const { name = "", info: details } = answer.error?.cause ?? {};
  return { kind: "refusal", cause: name, text: details?.vm_error ?? "" };
}

/** Error for an answer that does not contain the requested information. */
export function unreadable(answer: NearAnswer): Error {
  const quoted = answer.kind === "found" ? "an unknown result" : `${answer.cause} ${answer.text}`;
  return new Error(`The endpoint answered ${quoted.trim().slice(0, QUOTED_CHARS)}`);
}

async function readAtMost(limit: number, { body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // An exception within `for await` cancels the stream of the response.
    if (length > limit) throw new Error(`The response is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

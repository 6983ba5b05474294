import { z } from "zod";

/** Each endpoint's, for the whole answer (decisions §4). */
const TIMEOUT_MS = 3_000;
/** An access key takes a few hundred bytes; a token with a picture in it, each byte as a number, the most. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Of what somebody else wrote, for the log. */
const QUOTED_CHARS = 200;
const REQUEST_ID = "soul-hub";

/**
 * What an endpoint found. `refusal` is in NEAR's words: it reports a missing key, and a contract that
 * fails, as HTTP 200 with `result.error`, other failures as JSON-RPC errors whose `cause.name` says
 * what happened, and some nodes those of contracts as well.
 */
export type NearAnswer =
  | { kind: "found"; result: Readonly<Record<string, unknown>> }
  | { kind: "refusal"; cause: string; text: string };

/** Of a contract that fails: how. */
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
 * One `query` at one endpoint. The address may be http and private: the operator set it
 * (decisions §5). A redirect is not followed, since it leads to a place nobody chose.
 * @throws Error when this is no answer: network, time, status, size, or not NEAR's form
 */
export async function queryNear(
  url: string,
  params: Readonly<Record<string, string>>,
): Promise<NearAnswer> {
  const response = await fetch(url, {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
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
    throw new Error(`it answered with status ${response.status}`);
  }
  const answer = envelope.parse(JSON.parse(await readAtMost(MAX_ANSWER_BYTES, response)));
  if ("result" in answer) {
    const { error: text, ...result } = answer.result;
    return text === undefined ? { kind: "found", result } : { kind: "refusal", cause: "", text };
  }
  const { name = "", info: told } = answer.error?.cause ?? {};
  return { kind: "refusal", cause: name, text: told?.vm_error ?? "" };
}

/** For an answer that doesn't say what was asked. */
export function unreadable(answer: NearAnswer): Error {
  const said = answer.kind === "found" ? "something else" : `${answer.cause} ${answer.text}`;
  return new Error(`it answered ${said.trim().slice(0, QUOTED_CHARS)}`);
}

async function readAtMost(limit: number, { body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    // Leaving the loop cancels the rest.
    if (length > limit) throw new Error(`its answer is longer than ${limit} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

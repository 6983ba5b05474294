import { HubError } from "../../errors.ts";
import { acceptedRanges, weightOf } from "../http/accept.ts";

/** The media types of an answer (decisions §7, MCP). */
const JSON_TYPE = "application/json";
const EVENT_STREAM = "text/event-stream";
/** Answered by a stream without end. */
const LISTEN = "subscriptions/listen";

/** The response to a client that takes neither form. */
export const notAcceptable = {
  jsonrpc: "2.0",
  id: null,
  error: { code: -32_000, message: "The answer is application/json or text/event-stream." },
};

/** How a client takes an answer; null if it takes neither form. */
type AnswerForm = "json" | "stream" | "any" | null;

/** Reads how a client takes the answer to a message. Without a header it takes any form. */
export function answerForm(accept: string | undefined, message: unknown): AnswerForm {
  const ranges = acceptedRanges(accept?.trim() || "*/*");
  const isListening = (message as { method?: unknown } | null)?.method === LISTEN;
  const json = isListening ? 0 : weightOf(JSON_TYPE, ranges);
  const stream = weightOf(EVENT_STREAM, ranges);
  if (json === stream) return json > 0 ? "any" : null;
  return json > stream ? "json" : "stream";
}

/**
 * Brings an answer of the protocol's package into the form that the client takes. The package itself
 * chooses between the two, and serves only clients that name both.
 * @throws HubError `cancelled` if the call ended without an answer
 */
export async function inForm(
  response: Response,
  form: AnswerForm,
  isBatch: boolean,
): Promise<Response> {
  const { status } = response;
  const type = response.headers.get("content-type");
  if (status === 200 && form === "json" && type === EVENT_STREAM) {
    const answers = answersIn(await response.text());
    if (answers.length === 0) throw new HubError("cancelled");
    return Response.json(isBatch ? answers : answers[0]);
  }
  if (status === 200 && form === "stream" && type === JSON_TYPE) {
    const event = `event: message\ndata: ${await response.text()}\n\n`;
    return new Response(event, { status, headers: { "content-type": EVENT_STREAM } });
  }
  return response;
}

/** The answers in an event stream. What is not an answer is a notification, such as progress. */
const answersIn = (events: string): object[] =>
  events
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as object)
    .filter((message) => !("method" in message));

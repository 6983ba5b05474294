import type { FastifyReply, FastifyRequest } from "fastify";
import type { OnDelta, StreamedReply } from "../../context.ts";
import { createDeltaBatching, type DeltaBatcher } from "../../rooms/replies/delta-batcher.ts";
import { roomLimits } from "../../rooms/room-limits.ts";
import { createRoomTimers } from "../../rooms/room-timers.ts";
import { acceptedRanges, weightOf } from "../http/accept.ts";
import { failureOf, logUnforeseen } from "../http/error-responses.ts";
import { EventStream } from "../http/event-stream.ts";

const EVENT_STREAM = "text/event-stream";

/** Whether a caller asks for a stream: by its name, or since it takes no JSON. */
export function acceptsEventStream({ headers }: FastifyRequest): boolean {
  const ranges = acceptedRanges(headers.accept ?? "*/*");
  const takesJson = weightOf("application/json", ranges) > 0;
  return weightOf(EVENT_STREAM, ranges) > 0 && (ranges.has(EVENT_STREAM) || !takesJson);
}

/** All event streams share one batcher, so that one timer sends the deltas of all replies. */
const batchDeltas = createDeltaBatching(createRoomTimers(), roomLimits.DELTA_MS);

/**
 * The interval of comments on a silent stream. A model may think for two minutes, but proxies often
 * close a connection that is silent for one.
 */
const KEEP_ALIVE_MS = 15_000;

/**
 * Streams a reply as server-sent events (decisions §5). `event: delta` comes first, then `event:
 * done` with the documented answer or `event: error` with the failure. A failure before the first
 * byte, and within 15 s, is an ordinary error response. After 15 s of silence a comment keeps the
 * connection open.
 */
export async function streamAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  call: (onDelta: OnDelta) => Promise<object>,
): Promise<FastifyReply> {
  using stream = new EventStream(reply, { comment: "still waiting", afterMs: KEEP_ALIVE_MS });
  const send = (event: "delta" | "done" | "error", data: object) =>
    stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}`);
  let streamed: StreamedReply | undefined;
  let deltas: DeltaBatcher | undefined;
  const onDelta: OnDelta = (text, of) => {
    if (of !== streamed) {
      deltas?.flush();
      streamed = of;
      // The offsets of each reply begin at 0.
      deltas = batchDeltas((batch, offset) => send("delta", { ...of, offset, text: batch }));
    }
    deltas?.add(text);
  };
  try {
    const answer = await call(onDelta);
    deltas?.flush();
    send("done", { success: true, ...answer });
  } catch (error) {
    deltas?.flush();
    if (!stream.isOpen) throw error;
    const failure = failureOf(error);
    logUnforeseen(request.log, failure);
    send("error", failure.toBody(request.id));
  }
  stream.end();
  return reply;
}

import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReplyDelta } from "../context.ts";
import { failureOf, logUnforeseen } from "../doors/failure-answers.ts";
import { gatherDeltas } from "./gather-deltas.ts";

const EVENT_STREAM = /^\s*text\/event-stream\s*(;|$)/i;
/** "Not this one" (RFC 9110 §12.4.2). */
const REFUSED = /;\s*q=0(\.0{0,3})?\s*(;|$)/i;

export const wantsEventStream = ({ headers }: FastifyRequest): boolean =>
  (headers.accept ?? "").split(",").some((one) => EVENT_STREAM.test(one) && !REFUSED.test(one));

/** A model may think for two minutes; proxies hang up on whom they hear nothing of for one. */
const SIGN_OF_LIFE_MS = 15_000;

/**
 * Answers in pieces (decisions §5): `event: delta`, then `event: done` with the documented answer
 * or `event: error` with the failure. What fails before the first piece, and within 15 s, is an
 * ordinary failure with its status; after that a comment shows that somebody is there.
 */
export async function streamAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  call: (onDelta: (delta: ReplyDelta) => void) => Promise<object>,
): Promise<FastifyReply> {
  let isOpen = false;
  const write = (lines: string) => {
    if (!isOpen) {
      isOpen = true;
      reply.header("content-type", "text/event-stream; charset=utf-8");
      reply.header("cache-control", "no-store");
      // Proxies must not gather what is sent piece by piece.
      reply.header("x-accel-buffering", "no");
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value);
      }
      reply.raw.writeHead(200);
    }
    reply.raw.write(`${lines}\n\n`);
    signOfLife.refresh();
  };
  const signOfLife = setInterval(() => write(": still waiting"), SIGN_OF_LIFE_MS);
  const send = (event: "delta" | "done" | "error", data: object) =>
    write(`event: ${event}\ndata: ${JSON.stringify(data)}`);
  const deltas = gatherDeltas((delta) => send("delta", delta));
  try {
    const answer = await call(deltas.add);
    deltas.flush();
    send("done", { success: true, ...answer });
  } catch (error) {
    deltas.flush();
    if (!isOpen) throw error;
    const failure = failureOf(error);
    logUnforeseen(request.log, failure);
    send("error", failure.toBody(request.id));
  } finally {
    clearInterval(signOfLife);
  }
  reply.raw.end();
  return reply;
}

import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReplyDelta } from "../context.ts";
import { failureOf, logUnforeseen } from "../doors/failure-answers.ts";

export const wantsEventStream = ({ headers }: FastifyRequest): boolean =>
  /\btext\/event-stream\b/.test(headers.accept ?? "");

/**
 * Answers in pieces (decisions §5): `event: delta`, then `event: done` with the documented answer
 * or `event: error` with the failure. What fails before the first piece is an ordinary failure,
 * with its status.
 */
export async function streamAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  call: (onDelta: (delta: ReplyDelta) => void) => Promise<object>,
): Promise<FastifyReply> {
  let isOpen = false;
  const send = (event: "delta" | "done" | "error", data: object) => {
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
    reply.raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  try {
    const answer = await call((delta) => send("delta", delta));
    send("done", { success: true, ...answer });
  } catch (error) {
    if (!isOpen) throw error;
    const failure = failureOf(error);
    logUnforeseen(request.log, failure);
    send("error", failure.toBody(request.id));
  }
  reply.raw.end();
  return reply;
}

import type { FastifyReply } from "fastify";
import { HubError } from "../../errors.ts";

/**
 * Returns a signal that aborts if the client disconnects before the response is sent. Fastify's own
 * signal is unsuitable, because it aborts as soon as the body is read.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  const onClose = () => {
    if (!reply.raw.writableFinished) disconnected.abort(new HubError("cancelled"));
  };
  // The client may have disconnected already. No `close` event would follow then.
  if (reply.raw.destroyed) onClose();
  else reply.raw.once("close", onClose);
  return disconnected.signal;
}

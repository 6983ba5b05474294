import { accountIdOf } from "../../caller/caller.ts";
import type { CallContext, StreamedReply } from "../../context.ts";
import type { ModelEnd, ModelPort, ModelRequest } from "../models/model-port.ts";
import { callModel } from "../usage/model-usage.ts";

interface StreamOptions {
  /** Models called with the caller's own provider key, instead of the platform's models. */
  ownModels?: ModelPort;
  /** The fields that name the reply in the REST caller's stream. */
  streamedAs?: StreamedReply;
  /** The name of the soul, if several were asked. */
  speaker?: string | undefined;
  /** Receives each piece of the reply's text. */
  onPiece?: (piece: string) => void;
}

interface WholeReply {
  text: string;
  usage: ModelEnd;
}

/**
 * Calls a model and returns its whole reply. Each piece also goes to `onPiece`, and to the
 * `text/event-stream` response of a REST call.
 * @throws what `ModelPort.stream` throws
 */
export async function streamReply(
  { hub, caller, onDelta }: CallContext,
  request: ModelRequest,
  { ownModels, streamedAs = {}, speaker, onPiece }: StreamOptions,
): Promise<WholeReply> {
  let text = "";
  const accountId = accountIdOf(caller);
  await using pieces = callModel(hub, request, { accountId, ownModels });
  for (;;) {
    const next = await pieces.next();
    if (next.done) return { text: text.toWellFormed(), usage: next.value };
    onPiece?.(next.value);
    onDelta?.(next.value, streamedAs, speaker);
    text += next.value;
  }
}

import { accountIdOf } from "../../caller/caller.ts";
import type { CallContext, StreamedReply } from "../../context.ts";
import type { ModelPort, ModelRequest } from "../models/model-port.ts";
import { readReply, type WholeReply } from "../usage/model-usage.ts";

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

/**
 * Calls a model and returns its whole reply. Each piece also goes to `onPiece`, and to the
 * `text/event-stream` response of a REST call.
 * @throws what `ModelPort.stream` throws
 */
export function streamReply(
  { hub, caller, onDelta }: CallContext,
  request: ModelRequest,
  { ownModels, streamedAs = {}, speaker, onPiece }: StreamOptions,
): Promise<WholeReply> {
  const callFor = { accountId: accountIdOf(caller), ownModels };
  return readReply(hub, request, callFor, (piece) => {
    onPiece?.(piece);
    onDelta?.(piece, streamedAs, speaker);
  });
}

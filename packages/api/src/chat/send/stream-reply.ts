import { accountIdOf } from "../../accounts/caller.ts";
import type { CallContext } from "../../context.ts";
import type { ModelPort, ModelRequest } from "../models/model-port.ts";
import { callModel } from "../usage/model-usage.ts";

interface StreamOptions {
  /** Models called with the caller's own provider key, instead of the platform's models. */
  ownModels?: ModelPort;
  /** Receives each piece of the reply's text. */
  onPiece?: (piece: string) => void;
}

/**
 * Calls a model and returns its whole reply. Each piece also goes to `onPiece`, and to the
 * `text/event-stream` response of a REST call.
 * @throws what `ModelPort.stream` throws
 */
export async function streamReply(
  { hub, caller, onDelta }: CallContext,
  request: ModelRequest,
  { ownModels, onPiece }: StreamOptions,
): Promise<string> {
  let text = "";
  const accountId = accountIdOf(caller);
  for await (const piece of callModel(hub, request, { accountId, ownModels })) {
    onPiece?.(piece);
    onDelta?.(piece);
    text += piece;
  }
  return text.toWellFormed();
}

import { accountIdOf } from "../accounts/caller.ts";
import type { CallContext } from "../context.ts";
import type { ModelPort, ModelRequest } from "./models/model-port.ts";
import { callModel } from "./usage/model-usage.ts";

interface StreamOptions {
  /** Called instead of the platform's models. */
  ownModels?: ModelPort;
  /** Gets each piece as it comes. */
  onPiece?: (piece: string) => void;
}

/** Lets a model answer and hands each piece on, also to a REST caller who asked for a stream. */
export async function streamReply(
  { hub, caller, onDelta }: CallContext,
  request: ModelRequest,
  { ownModels, onPiece }: StreamOptions,
): Promise<string> {
  let text = "";
  const callFor = { accountId: accountIdOf(caller), ...(ownModels ? { ownModels } : {}) };
  for await (const piece of callModel(hub, request, callFor)) {
    // PostgreSQL can't store NUL, and a provider's text is as foreign as a caller's.
    const clean = piece.replaceAll("\0", "");
    if (clean === "") continue;
    onPiece?.(clean);
    onDelta?.({ offset: text.length, text: clean });
    text += clean;
  }
  return text.toWellFormed();
}

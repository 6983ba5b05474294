import type { AccountContext } from "../../caller/caller.ts";
import { assertPass } from "../../caller/caller.ts";
import { completeForApp } from "../../chat/completions/complete.service.ts";
import type { FinishReason, ModelChoices, ToolCall } from "../../chat/models/model-port.ts";
import { sendMessage } from "../../chat/send/send-message.service.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { joinPieces, joinReplies } from "../joined-replies.ts";
import type { Conversation } from "./conversation.ts";
import { findModel } from "./model-names.ts";
import { refused } from "./v1-errors.ts";

/** A call of `/v1`, in the terms that both of its shapes share. */
export interface V1Call {
  model: string;
  isStream: boolean;
  conversation: Conversation;
  deepThink: boolean;
  choices: ModelChoices;
  /** The live room that gets the last message; null for a stateless call. */
  sessionToken: string | null;
}

export interface V1Answer {
  text: string;
  finish: FinishReason;
  toolCalls: readonly ToolCall[];
  inputTokens: number;
  outputTokens: number;
  /** The room of the reply; null for a stateless call. */
  soul_hub: { reply_id: string | null; session_token: string } | null;
}

/**
 * Answers a call of `/v1`: in a live room, or without storing anything.
 * @param onText receives the pieces of the reply
 * @param disconnected aborts when the client disconnects
 */
export async function answerCall(
  given: CallContext,
  call: V1Call,
  onText: (text: string) => void,
  disconnected: AbortSignal,
): Promise<V1Answer> {
  const { caller } = given;
  if (!("account" in caller)) throw new HubError("unauthenticated");
  const ctx = { ...given, caller, onDelta: joinPieces(onText) };
  const { soul, ownProvider } = await findModel(ctx, call.model);
  if (call.sessionToken !== null) {
    if (ownProvider) throw refused("model", "may not end in :own in a room");
    return answerInRoom(ctx, soul.id, { ...call, sessionToken: call.sessionToken }, disconnected);
  }
  const { conversation, deepThink, choices } = call;
  const { instructions, messages } = conversation;
  const { text, end, promptChars } = await completeForApp(
    ctx,
    { soul_id: soul.id, ownProvider, instructions, messages, deepThink, choices },
    disconnected,
  );
  return {
    text,
    finish: end.finish,
    toolCalls: end.toolCalls,
    inputTokens: end.inputTokens ?? estimate(promptChars),
    outputTokens: end.outputTokens ?? estimate(text.length),
    soul_hub: null,
  };
}

/** The last message goes through the rules of POST /api/chat; the room knows the earlier ones. */
async function answerInRoom(
  ctx: AccountContext,
  soul_id: number,
  {
    conversation: { question },
    deepThink,
    choices,
    sessionToken,
  }: V1Call & { sessionToken: string },
  disconnected: AbortSignal,
): Promise<V1Answer> {
  if (choices.tools?.length) throw refused("tools", "are not supported in a room");
  if (choices.json) throw refused("response_format", "is not supported in a room");
  assertPass(ctx.caller);
  const message = {
    soul_id,
    session_token: sessionToken,
    content: question.text,
    image: question.image,
    is_private: false,
    deep_think: deepThink,
  };
  const sent = await sendMessage(ctx, message, disconnected);
  const { reply_id, made_by } = sent;
  const text = joinReplies(sent);
  return {
    text,
    finish: "stop",
    toolCalls: [],
    inputTokens: made_by?.tokens_in ?? estimate(question.text.length),
    outputTokens: made_by?.tokens_out ?? estimate(text.length),
    soul_hub: { reply_id, session_token: sessionToken },
  };
}

/** Estimates tokens as characters divided by 4 (decisions §5, Memory). */
const estimate = (chars: number): number => Math.ceil(chars / 4);

import { randomUUID } from "node:crypto";
import { quotaSubject } from "../../accounts/caller.ts";
import type { AccountContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { quotaAccount } from "../../quota/quota.service.ts";
import { buildPrompt } from "../prompt.ts";
import { readMessage } from "../read-message.ts";
import { enterRoom } from "../room-access.ts";
import type { RoomName } from "../room-key.ts";
import { streamReply } from "../stream-reply.ts";
import { activeModels } from "./byok.service.ts";

interface OwnMessage extends RoomName {
  content: string;
  image?: string | null | undefined;
}

/**
 * One message and its reply by the caller's own provider: POST /api/self-chat and `chat.selfChat`
 * (decisions §5). Nothing is stored and nothing counted against the quota; the model sees the soul
 * and this message.
 */
export async function selfChat(
  ctx: AccountContext,
  input: OwnMessage,
  leaves: AbortSignal | undefined,
) {
  const { account } = ctx.caller;
  const image = readMessage(input, quotaAccount(ctx).limits.max_input_chars);
  let room = await enterRoom(ctx, input);
  const ownModels = await activeModels(ctx, image !== undefined);

  const cancelled = new AbortController();
  const cancel = (code: "cancelled" | "shutting_down") => cancelled.abort(new HubError(code));
  const gone = [leaves, ctx.connection.closed].filter((one) => one !== undefined);
  const leave = () => cancel("cancelled");
  for (const one of gone) one.addEventListener("abort", leave);
  if (gone.some(({ aborted }) => aborted)) leave();
  const { signal } = cancelled;
  const subject = quotaSubject(ctx.caller);
  const mustWait = !ctx.hub.turns.isFree(subject, "own");
  const replyId = randomUUID();
  let giveBackTurn: (() => void) | undefined;
  try {
    giveBackTurn = await ctx.hub.turns.take(subject, signal, "own");
    // What was open then may be closed now.
    if (mustWait) room = await enterRoom(ctx, input);
    // For a hub that stops: replies are waited for, and then called back.
    ctx.hub.replies.add(replyId, { roomKey: room.key, askerId: subject, cancel });
    const current = { sender_name: account.username, content: input.content };
    const prompt = buildPrompt({
      soul: room.soul,
      summary: null,
      history: [],
      current: image ? { ...current, image } : current,
    });
    const route = image ? "vision" : "text";
    const request = { route, ...prompt, deepThink: false, signal } as const;
    const reply = await streamReply(ctx, request, { ownModels });
    return { reply, sender_name: room.soul.title };
  } finally {
    // A socket outlives its calls by far.
    for (const one of gone) one.removeEventListener("abort", leave);
    ctx.hub.replies.remove(replyId);
    giveBackTurn?.();
  }
}

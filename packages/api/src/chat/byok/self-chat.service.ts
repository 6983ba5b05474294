import type { AccountContext } from "../../caller/caller.ts";
import { quotaSubject } from "../../caller/caller.ts";
import { quotaAccount } from "../../quota/quota.service.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import { type GivenMessage, readMessage } from "../content/read-message.ts";
import { buildPrompt } from "../prompt/prompt.ts";
import type { RoomName } from "../rows/room-key.ts";
import { streamReply } from "../send/stream-reply.ts";
import { activeModels } from "./byok.service.ts";
import { disconnectSignal } from "./disconnect-signal.ts";

/**
 * Sends one message to the caller's own provider: POST /api/self-chat and `chat.selfChat`
 * (decisions §5, BYOK). Nothing is stored and no quota is used. The model sees the soul and this
 * message only.
 * @param disconnected aborts when the caller disconnects, which cancels the call
 * @throws HubError every code that `chat.selfChat` lists in chat.router.ts
 */
export async function selfChat(
  ctx: AccountContext,
  input: RoomName & GivenMessage,
  disconnected: AbortSignal | undefined,
) {
  const { modelCalls, replies, chatRooms, vault } = ctx.hub;
  const image = readMessage(input, quotaAccount(ctx).limits.max_input_chars);
  const authorize = async () => ({
    room: await authorizeRoom(ctx, input, chatRooms),
    ownModels: await activeModels(ctx, image !== undefined),
  });
  let authorized = await authorize();

  using cancelled = disconnectSignal(disconnected);
  const signal = AbortSignal.any([cancelled.signal, replies.stopped]);
  const subject = quotaSubject(ctx.caller);
  const mustWait = !modelCalls.canRun(subject, "own");
  using _slot = await modelCalls.acquire(subject, signal, "own");
  // Room, permissions and provider key may have changed while the call waited.
  if (mustWait) authorized = await authorize();
  const { room, ownModels } = authorized;
  const { instructions, messages } = buildPrompt({
    key: { vault, scope: room.key },
    soul: room.soul,
    summary: null,
    history: [],
    current: { sender_name: ctx.caller.account.username, content: input.content, image },
  });
  const route = image ? "vision" : "text";
  const request = { route, instructions, messages, deepThink: false, signal } as const;
  const { text: reply } = await streamReply(ctx, request, { ownModels });
  return { reply, sender_name: room.soul.title };
}

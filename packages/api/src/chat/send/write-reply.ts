import type { CallContext } from "../../context.ts";
import type { QuotaHold } from "../../quota/quota-hold.service.ts";
import type { Participant } from "../../rooms/presence/presence-store.ts";
import type { AuthorizedRoom } from "../access/authorize-room.ts";
import type { RoomName } from "../access/room-key.ts";
import type { RememberedRoom } from "../history/room-memory.queries.ts";
import type { PromptImage } from "../models/model-port.ts";
import { type StoredExchange, storeExchange } from "../storing/store-messages.ts";
import { failureCodeOf } from "../usage/model-usage.ts";
import { buildPrompt } from "./prompt.ts";
import { streamReply } from "./stream-reply.ts";

export interface Question extends RoomName {
  reply_id: string;
  sender: Participant;
  content: string;
  image: PromptImage | undefined;
  deep_think: boolean;
}

/**
 * Calls the model, streams the reply to the room, then stores question and reply together
 * (decisions §5, Storage). A failed call stores nothing, and the room receives `reply-failed`.
 * @throws what `ModelPort.stream` and `storeExchange` throw
 */
export async function writeReply(
  ctx: CallContext,
  room: AuthorizedRoom<RememberedRoom>,
  question: Question,
  hold: QuotaHold,
  signal: AbortSignal,
): Promise<StoredExchange> {
  const { sender, content, image } = question;
  // Images are not stored (decisions §5, Images).
  const shown = image ? [content, "[image]"].filter(Boolean).join("\n\n") : content;
  const prompt = buildPrompt({
    soul: room.soul,
    summary: room.record?.summary ?? null,
    history: room.record?.history ?? [],
    current: { sender_name: sender.name, content, image },
  });
  const writer = ctx.hub.rooms.startReply(room.key, {
    reply_id: question.reply_id,
    sender_name: sender.name,
    content: shown,
  });
  const route = image ? "vision" : hold.premium ? "premium" : "text";
  try {
    const request = { route, ...prompt, deepThink: question.deep_think, signal } as const;
    const reply = await streamReply(ctx, request, { onPiece: (piece) => writer.delta(piece) });
    writer.flush();
    const exchange = {
      asker: sender,
      question: shown,
      soulTitle: room.soul.title,
      reply,
      isFirst: room.record === undefined,
    };
    const stored = await storeExchange(ctx, question, exchange, hold);
    ctx.hub.rooms.publishMessages(room.key, stored.messages);
    writer.done(stored.messages[1].id);
    return stored;
  } catch (error) {
    writer.fail(failureCodeOf(signal.aborted ? signal.reason : error));
    throw error;
  }
}

import type { CallContext } from "../context.ts";
import { type FailureCode, HubError } from "../errors.ts";
import type { QuotaHold } from "../quota/quota-hold.service.ts";
import type { Participant } from "../rooms/presence-store.ts";
import type { PromptImage } from "./models/model-port.ts";
import { buildPrompt } from "./prompt.ts";
import type { EnteredRoom } from "./room-access.ts";
import type { RoomName } from "./room-key.ts";
import type { RememberedRoom } from "./room-memory.queries.ts";
import { type StoredExchange, storeExchange } from "./store-messages.ts";
import { streamReply } from "./stream-reply.ts";

export interface Question extends RoomName {
  reply_id: string;
  sender: Participant;
  content: string;
  image: PromptImage | undefined;
  deep_think: boolean;
}

/**
 * Lets the model answer while the room watches, then writes question and reply to the log
 * (decisions §5: together and only after the reply, so a failed call leaves nothing behind).
 */
export async function writeReply(
  ctx: CallContext,
  room: EnteredRoom<RememberedRoom>,
  question: Question,
  hold: QuotaHold,
  signal: AbortSignal,
): Promise<StoredExchange> {
  const { sender, content, image } = question;
  // The image itself is not kept.
  const shown = image ? [content, "[image]"].filter(Boolean).join("\n\n") : content;
  const prompt = buildPrompt({
    soul: room.soul,
    summary: room.record?.summary ?? null,
    history: room.record?.history ?? [],
    current: { sender_name: sender.name, content, ...(image ? { image } : {}) },
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
    writer.fail(codeOf(signal.aborted ? signal.reason : error));
    throw error;
  }
}

const codeOf = (error: unknown): FailureCode =>
  error instanceof HubError ? error.code : "internal";

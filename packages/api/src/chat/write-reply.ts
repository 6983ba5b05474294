import type { CallContext } from "../context.ts";
import { type FailureCode, HubError } from "../errors.ts";
import type { QuotaHold } from "../quota/quota-hold.service.ts";
import type { Participant } from "../rooms/presence-store.ts";
import type { ReplyWriter } from "../rooms/reply-writer.ts";
import { readNewest } from "./chat-room.queries.ts";
import type { ModelRequest, ModelRoute, PromptImage } from "./models/model-port.ts";
import { buildPrompt } from "./prompt.ts";
import { type EnteredRoom, enterRoom } from "./room-access.ts";
import type { RoomName } from "./room-key.ts";
import { storeExchange } from "./store-messages.ts";

export interface Question extends RoomName {
  reply_id: string;
  sender: Participant;
  content: string;
  image: PromptImage | undefined;
  deep_think: boolean;
}

/** Lines of the log that are read for a prompt; it takes what fits (./prompt.ts). */
const HISTORY_LINES = 20;

/**
 * Lets the model answer while the room watches, then writes question and reply to the log
 * (decisions §5: together and only after the reply, so a failed call leaves nothing behind).
 */
export async function writeReply(
  ctx: CallContext,
  room: EnteredRoom,
  question: Question,
  hold: QuotaHold,
  signal: AbortSignal,
): Promise<string> {
  const { sender, content, image } = question;
  // The image itself is not kept.
  const shown = image ? [content, "[image]"].filter(Boolean).join("\n\n") : content;
  const prompt = await promptFor(ctx, room, question);
  // The call may have waited for its turn. A room turns private for good: who may enter it after
  // its lines were read may know them.
  await enterRoom(ctx, question);
  const writer = ctx.hub.rooms.startReply(room.key, {
    reply_id: question.reply_id,
    sender_name: sender.name,
    content: shown,
  });
  const route = image ? "vision" : hold.premium ? "premium" : "text";
  try {
    const reply = await streamReply(ctx, writer, {
      route,
      ...prompt,
      deepThink: question.deep_think,
      signal,
    });
    writer.flush();
    const lines = [
      { role: "user", sender: sender.id, sender_name: sender.name, content: shown },
      { role: "assistant", sender: "soul", sender_name: room.soul.title, content: reply },
    ] as const;
    const messages = await storeExchange(ctx, question, lines, hold);
    ctx.hub.rooms.publishMessages(room.key, messages);
    writer.done(messages.at(-1)?.id ?? 0);
    countChat(ctx, route, "answered");
    return reply;
  } catch (error) {
    const code = codeOf(signal.aborted ? signal.reason : error);
    writer.fail(code);
    countChat(ctx, route, code);
    throw error;
  }
}

function countChat({ hub }: CallContext, route: ModelRoute, outcome: string): void {
  const [provider = "", ...model] = (
    hub.models.routes[route] ??
    hub.models.routes.text ??
    ""
  ).split(":");
  hub.metrics.chats.inc({ provider, model: model.join(":"), outcome });
}

const codeOf = (error: unknown): FailureCode =>
  error instanceof HubError ? error.code : "internal";

async function promptFor({ db }: CallContext, room: EnteredRoom, question: Question) {
  const { sender, content, image } = question;
  const [history, summary] = await Promise.all([
    readNewest(db, room.key, HISTORY_LINES),
    room.record
      ? db
          .selectFrom("chat_rooms")
          .select("summary")
          .where("id", "=", room.record.id)
          .executeTakeFirst()
      : undefined,
  ]);
  return buildPrompt({
    soul: room.soul,
    summary: summary?.summary ?? null,
    history,
    current: { sender_name: sender.name, content, ...(image ? { image } : {}) },
  });
}

/** Hands each piece on as it comes: to the room, and to a REST caller who asked for a stream. */
async function streamReply(
  ctx: CallContext,
  writer: ReplyWriter,
  request: ModelRequest,
): Promise<string> {
  let text = "";
  for await (const piece of ctx.hub.models.stream(request)) {
    // PostgreSQL can't store NUL, and a provider's text is as foreign as a caller's.
    const clean = piece.replaceAll("\0", "");
    if (clean === "") continue;
    writer.delta(clean);
    ctx.onDelta?.({ offset: text.length, text: clean });
    text += clean;
  }
  return text.toWellFormed();
}

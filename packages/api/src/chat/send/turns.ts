import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { type AddressedSoul, readdressed } from "../addressing/addressed-souls.ts";
import { withoutImageMark } from "../content/chat-image.ts";
import type { PromptImage } from "../models/model-port.ts";
import { readMemoryTo } from "../prompt/room-memory.queries.ts";
import type { StoredExchange } from "../storing/store-messages.ts";
import { notAdmitted } from "../storing/store-messages.ts";
import { type AcceptedMessage, shownText } from "./accept-message.ts";
import type { Turn } from "./write-reply.ts";

/** The first reply, which is stored together with a new question. */
export function firstTurn(message: AcceptedMessage, soul: AddressedSoul): Turn {
  const { input, room, roomState, sender, image, branch } = message;
  const { content, deep_think } = input;
  const { record } = room;
  const former = branch?.regenerates;
  return {
    ...soul,
    reply_id: randomUUID(),
    isOneOfSeveral: message.souls.length > 1,
    sender,
    image,
    deep_think,
    current: former
      ? { ...former, content: promptText(former.content, image) }
      : { sender_name: sender.name, content },
    memory: branch ?? record ?? { summary: null, summary_version: null, history: [] },
    otherReplies: [],
    question: former ? null : shownText(message),
    roomState,
    regenerates: former?.id ?? null,
    place: {
      under: branch?.under ?? null,
      asked_on: record?.leaf_id ?? 0,
      asked_epoch: record?.path_epoch ?? 0,
    },
  };
}

/**
 * A reply after the stored one of another soul (0041). The soul, the question and the path to that
 * reply are read again: the question may be edited or removed meanwhile, and the soul withdrawn.
 * @param before the reply before; it follows the question `questionId`
 * @param holdId the quota hold of this reply
 * @throws HubError `message_not_found` if the question was removed; `banned` or `private_session` if
 *   its sender may no longer enter the room; those of readdressed
 */
export async function nextTurn(
  ctx: CallContext,
  message: AcceptedMessage,
  { soul: { soul_id } }: AddressedSoul,
  { questionId, before, holdId }: { questionId: number; before: StoredExchange; holdId: number },
): Promise<Turn> {
  const { input, room, sender, image } = message;
  const read = await ctx.db
    .selectFrom("chat_messages as line")
    .innerJoin("chat_rooms as room", "room.id", "line.room_id")
    .select(["sender_name", "content", "souls"])
    .select(
      sql<boolean>`may_enter(room.id, room.owner, room.is_private,
        asker_now(${sender.id}, ${holdId}))`.as("is_open"),
    )
    .where("line.id", "=", questionId)
    .where("removed_at", "is", null)
    .executeTakeFirstOrThrow(() => new HubError("message_not_found"));
  const { is_open, souls, ...question } = read;
  if (!is_open) throw await notAdmitted(ctx, room.key, sender.id);
  const soul = await readdressed(ctx, room.soul.id, souls, soul_id);
  const memory = await readMemoryTo(ctx.db, before.roomId, before.reply.id);
  return {
    ...soul,
    reply_id: randomUUID(),
    isOneOfSeveral: true,
    sender,
    image,
    deep_think: input.deep_think,
    current: { ...question, content: promptText(question.content, image) },
    memory: { ...memory, history: memory.history.filter(({ id }) => id < questionId) },
    otherReplies: memory.history.filter(({ id }) => id > questionId),
    question: null,
    roomState: message.roomState === "private" ? "private" : "public",
    regenerates: null,
    place: { under: null, asked_on: before.reply.id, asked_epoch: before.epoch },
  };
}

/** Returns a stored question as the prompt contains it: the image itself replaces its mark. */
const promptText = (content: string, image: PromptImage | undefined): string =>
  image ? (withoutImageMark(content) ?? content) : content;

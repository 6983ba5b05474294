import type { CallContext } from "../context.ts";
import { readAfter, readNewest } from "./chat-room.queries.ts";
import { offerQuiet } from "./quiet-poll.ts";
import {
  adoptFormerSelf,
  enterRoom,
  keepGuest,
  participantOf,
  type ReenteredRoom,
  reenterRoom,
  standingOf,
} from "./room-access.ts";
import type { RoomName } from "./room-key.ts";

/** Messages in one answer of chat-sync (decisions §5). */
const SYNC_MESSAGES = 200;

interface HistoryQuestion extends RoomName {
  limit: number;
  before_id?: number | undefined;
}

/** GET /api/chat: the newest messages, or those before `before_id`, in order. */
export async function readHistory(ctx: CallContext, question: HistoryQuestion) {
  const { key } = await enterRoom(ctx, question);
  keepGuest(ctx);
  // One more than asked for tells whether there are more.
  const lines = await readNewest(ctx.db, key, question.limit + 1, question.before_id);
  const page = lines.slice(-question.limit);
  return {
    messages: page.map(({ role, sender_name, content }) => ({ role, sender_name, content })),
    has_more: lines.length > page.length,
    oldest_id: page[0]?.id ?? null,
  };
}

interface SyncQuestion extends RoomName {
  last_id?: number | undefined;
  before_id?: number | undefined;
}

/** GET /api/chat-sync: a sign of life, who is there, and the messages newer than `last_id`. */
export async function syncRoom(ctx: CallContext, question: SyncQuestion) {
  const room = await reenterRoom(ctx, question);
  const { key } = room;
  const participant = participantOf(ctx);
  await adoptFormerSelf(ctx, key, participant);
  keepGuest(ctx);
  const { present, replies, head: knownHead } = await ctx.hub.rooms.poll(key, participant);
  const head = await newestOf(ctx, room, knownHead, question.last_id);
  const messages = await readMessages(ctx, key, question, head);
  const hasNoNews = question.before_id === undefined && question.last_id === head;
  if (hasNoNews && knownHead === head) {
    offerQuiet(ctx, { key, owner: room.record?.owner, participant, present, replies, head });
  }
  return {
    online_count: present.size,
    participants: [...present.values()].map(({ name, kind }) => ({ name, kind })),
    replies,
    head,
    ...standingOf(ctx, room, participant),
    ...messages,
    new_messages: messages.new_messages.map(({ id, role, sender_name, content }) => ({
      id,
      role,
      sender_name,
      content,
    })),
  };
}

/**
 * The log may be ahead of this server, and has been asked unless the room's door was known to be open.
 * Whoever holds more than this server knows of has it from there, or from another server.
 */
async function newestOf(
  { hub }: CallContext,
  { key, record }: ReenteredRoom,
  knownHead = 0,
  lastId = 0,
) {
  if (record?.head_id !== undefined) return Math.max(knownHead, record.head_id);
  if (knownHead > 0 && lastId <= knownHead) return knownHead;
  return Math.max(knownHead, (await hub.chatRooms(key))?.head_id ?? 0);
}

async function readMessages(
  { db }: CallContext,
  key: string,
  { last_id, before_id }: SyncQuestion,
  head: number,
) {
  const recovered = last_id === undefined || last_id <= head;
  if (before_id !== undefined || last_id === undefined || !recovered) {
    if (head === 0) return { new_messages: [], recovered, has_more: false };
    const lines = await readNewest(db, key, SYNC_MESSAGES + 1, before_id);
    const page = lines.slice(-SYNC_MESSAGES);
    return { new_messages: page, recovered, has_more: lines.length > page.length };
  }
  // Nothing new: no table is asked.
  if (last_id === head) return { new_messages: [], recovered, has_more: false };
  const lines = await readAfter(db, key, last_id, SYNC_MESSAGES + 1);
  const page = lines.slice(0, SYNC_MESSAGES);
  return { new_messages: page, recovered, has_more: lines.length > page.length };
}

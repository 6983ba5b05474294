import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import type { PollSession } from "../../rooms/polling/poll-session.ts";
import type { Participant } from "../../rooms/presence/presence-store.ts";
import { roomLimits } from "../../rooms/room-limits.ts";
import { authorizeCachedRoom, type CachedRoom } from "../access/authorize-room.ts";
import { reidentify } from "../access/reidentify.ts";
import type { RoomName } from "../access/room-key.ts";
import {
  issueGuestCookie,
  mergeGuestPresence,
  participantOf,
  viewerStateOf,
} from "../access/room-participant.ts";
import { readAfter, readNewest } from "./chat-room.queries.ts";

/** Maximum number of messages in one response (decisions §5). */
const SYNC_MESSAGES = 200;

interface SyncQuestion extends RoomName {
  last_id?: number | undefined;
  before_id?: number | undefined;
  /** Seconds to wait for a change of the room. */
  wait?: number | undefined;
}

/**
 * Renews the caller's presence and reads the messages after `last_id` (GET /api/chat-sync). If
 * there is no new message, the call waits up to `wait` seconds for a change of the room.
 * @param signal aborts when the client disconnects
 * @throws HubError as authorizeCachedRoom; `unauthenticated` if the caller loses its credential
 *   meanwhile
 */
export async function syncRoom(call: CallContext, question: SyncQuestion, signal?: AbortSignal) {
  const { rooms, stopping } = call.hub;
  const { wait } = question;
  const deadline = performance.now() + (wait ?? 0) * 1_000;
  const participant = participantOf(call);
  let room = await authorizePoll(call, question);
  await mergeGuestPresence(call, room.key, participant);
  using session = wait === undefined ? undefined : await rooms.pollSession(room.key, participant);
  const input = { question, participant, session };
  let ctx = call;
  let { answer, isNews } = await pollRoom(ctx, room, input);
  issueGuestCookie(ctx);
  // A right that may have ended since its check is checked again before news is returned.
  while (session && (!isNews || session.needsRecheck) && !stopping.aborted) {
    const ms = Math.max(0, deadline - performance.now());
    const outcome = await session.wait({ head: answer.head, ms, signal });
    if (signal?.aborted) throw new HubError("cancelled");
    if (outcome === "recheck") ctx = await reidentify(ctx);
    room = await authorizePoll(ctx, question);
    const poll = await pollRoom(ctx, room, input);
    answer = poll.answer;
    isNews ||= poll.isNews;
    if (outcome !== "recheck") break;
  }
  return answer;
}

const authorizePoll = (ctx: CallContext, name: RoomName): Promise<CachedRoom> =>
  authorizeCachedRoom(ctx, name, { maxAgeMs: roomLimits.RECHECK_MS });

interface PollInput {
  question: SyncQuestion;
  participant: Participant;
  /** Listens for changes of the room while the call waits; undefined if the call does not wait. */
  session: PollSession | undefined;
}

async function pollRoom(ctx: CallContext, room: CachedRoom, input: PollInput) {
  const { question, participant, session } = input;
  const { key } = room;
  const changed = session?.takeNews() ?? false;
  const { present, replies, ...polled } = await ctx.hub.rooms.poll(key, participant, session);
  const head = await newestId(ctx, room, polled.head, question.last_id);
  const messages = await readMessages(ctx, key, question, head);
  const answer = {
    online_count: present.size,
    participants: [...present.values()].map(({ name, kind }) => ({ name, kind })),
    replies,
    head,
    ...viewerStateOf(participant, room),
    ...messages,
  };
  const isReset = question.before_id !== undefined || !messages.recovered;
  return { answer, isNews: changed || isReset || messages.new_messages.length > 0 };
}

/**
 * Returns the id of the room's newest message. A query runs only if this server has not subscribed
 * to the room, or the client knows a newer message.
 */
async function newestId(
  { hub }: CallContext,
  { key, record }: CachedRoom,
  knownHead: number | undefined,
  lastId = 0,
): Promise<number> {
  if (record?.head_id !== undefined) return Math.max(knownHead ?? 0, record.head_id);
  if (knownHead !== undefined && lastId <= knownHead) return knownHead;
  return Math.max(knownHead ?? 0, (await hub.chatRooms(key))?.head_id ?? 0);
}

async function readMessages(
  { db }: CallContext,
  key: string,
  { last_id, before_id }: SyncQuestion,
  head: number,
) {
  const recovered = last_id === undefined || last_id <= head;
  const nothing = { new_messages: [], recovered, has_more: false };
  if (before_id !== undefined || last_id === undefined || !recovered) {
    if (head === 0) return nothing;
    const rows = await readNewest(db, key, SYNC_MESSAGES + 1, before_id);
    const page = rows.slice(-SYNC_MESSAGES);
    return { new_messages: page, recovered, has_more: rows.length > page.length };
  }
  if (last_id === head) return nothing;
  const rows = await readAfter(db, key, last_id, SYNC_MESSAGES + 1);
  const page = rows.slice(0, SYNC_MESSAGES);
  return { new_messages: page, recovered, has_more: rows.length > page.length };
}

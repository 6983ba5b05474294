import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import type { PollAnswer } from "../../rooms/polling/poll-room.ts";
import type { PollSession } from "../../rooms/polling/poll-session.ts";
import type { Participant } from "../../rooms/ports/presence-store.ts";
import type { LogEnd } from "../../rooms/ports/room-log.ts";
import { presentParticipants } from "../../rooms/presence/room-presence.ts";
import { roomLimits } from "../../rooms/room-limits.ts";
import { authorizeCachedRoom, type CachedRoom } from "../access/authorize-room.ts";
import { reidentify } from "../access/reidentify.ts";
import {
  issueGuestCookie,
  mergeGuestPresence,
  participantOf,
  viewerStateOf,
} from "../access/room-participant.ts";
import { readAfter, readNewest } from "../rows/chat-room.queries.ts";
import type { RoomName } from "../rows/room-key.ts";
import { readRevision } from "./read-revision.ts";

/** Maximum number of messages in one response (decisions §5). */
const SYNC_MESSAGES = 200;

interface SyncQuestion extends RoomName {
  last_id?: number | undefined;
  before_id?: number | undefined;
  /** The revision up to which the client holds the changes of the room. */
  revision?: number | undefined;
  /** Seconds to wait for a change of the room. */
  wait?: number | undefined;
}

/**
 * Renews the caller's presence and reads the messages after `last_id` and the changes after
 * `revision` (GET /api/chat-sync). If there are none, the call waits up to `wait` seconds for a
 * change of the room.
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
    const { head } = answer;
    const revision = question.revision === undefined ? undefined : answer.revision;
    const outcome = await session.wait({ head, revision, ms, signal });
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
  const { key, record } = room;
  const changed = session?.takeNews() ?? false;
  const polled = await ctx.hub.rooms.poll(key, participant, { session, head: record?.head_id });
  const { head, revision } = await readEnd(ctx, room, polled, question);
  const isKnown = question.revision === undefined || question.revision <= revision;
  const messages = await readMessages(ctx, key, question, { head, isKnown });
  const isNewest = question.last_id === undefined && question.before_id === undefined;
  // A client that begins with the newest messages holds none that could lack a change.
  const isUpToDate = question.revision !== undefined && (isNewest || !messages.recovered);
  const since = isUpToDate ? revision : question.revision;
  // The changes are read after the messages: a message that changes in between is among both.
  const changes = await readRevision(ctx, key, { since, revision, polled });
  const answer = {
    ...presentParticipants(polled.present, head),
    replies: polled.replies,
    head,
    ...viewerStateOf(participant, room),
    ...messages,
    ...changes,
  };
  const isReset = question.before_id !== undefined || !messages.recovered;
  const isNewer = question.revision !== undefined && question.revision !== changes.revision;
  const isNews = changed || isReset || isNewer || messages.new_messages.length > 0;
  return { answer, isNews };
}

/**
 * Returns the end of the room's log. A query runs only if this server has not subscribed to the
 * room, or the client knows a newer message or revision.
 */
async function readEnd(
  { hub }: CallContext,
  { key, record }: CachedRoom,
  known: Pick<PollAnswer, "head" | "revision">,
  question: SyncQuestion,
): Promise<LogEnd> {
  const { head = 0, revision = 0 } = known;
  const isInMemory = known.head !== undefined && known.revision !== undefined;
  const isEnough = (question.last_id ?? 0) <= head && (question.revision ?? 0) <= revision;
  let row = record?.head_id === undefined ? undefined : record;
  if (!row && isInMemory && isEnough) return { head, revision };
  row ??= await hub.chatRooms(key);
  return {
    head: Math.max(head, row?.head_id ?? 0),
    revision: Math.max(revision, row?.revision ?? 0),
  };
}

async function readMessages(
  { db }: CallContext,
  key: string,
  { last_id, before_id }: SyncQuestion,
  { head, isKnown }: { head: number; isKnown: boolean },
) {
  // A client with a later revision than the room's holds another log.
  const recovered = isKnown && (last_id === undefined || last_id <= head);
  const nothing = { new_messages: [], recovered, has_more: false };
  const newest = async (recovered: boolean) => {
    if (head === 0) return nothing;
    const rows = await readNewest(db, key, SYNC_MESSAGES + 1, before_id);
    const page = rows.slice(-SYNC_MESSAGES);
    return { new_messages: page, recovered, has_more: rows.length > page.length };
  };
  if (before_id !== undefined || last_id === undefined || !recovered) return newest(recovered);
  if (last_id === head) return nothing;
  const rows = await readAfter(db, key, last_id, SYNC_MESSAGES + 1);
  // A client whose message is older than the room's first one holds a deleted log (0042).
  if (last_id > 0 && rows[0]?.prev_id === 0) return newest(false);
  const page = rows.slice(0, SYNC_MESSAGES);
  return { new_messages: page, recovered, has_more: rows.length > page.length };
}

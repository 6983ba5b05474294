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
import { settingsFor } from "../access/settings-for.ts";
import type { RoomName } from "../rows/room-key.ts";
import { readRevision } from "./read-revision.ts";
import { firstStateOf } from "./seen-to.queries.ts";
import { readPage, type SyncPosition } from "./sync-page.ts";

interface SyncQuestion extends RoomName, SyncPosition {
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
  const { key, record, mayUse } = room;
  const hadNews = session?.takeNews() ?? false;
  const polled = await ctx.hub.rooms.poll(key, participant, { session, head: record?.head_id });
  const end = await readEnd(ctx, room, polled, question);
  const { place, messages, has_more } = await readPage(ctx.db, key, question, end);
  // A client that begins with the newest messages holds none that could lack a change.
  const isUpToDate = question.revision !== undefined && (place === "newest" || place === "lost");
  const since = isUpToDate ? end.revision : question.revision;
  // The changes are read after the messages: a message that changes in between is among both.
  const read = await readRevision(ctx, key, { since, revision: end.revision, polled });
  const changes = { ...read, ...(read.room && { room: settingsFor(read.room, mayUse) }) };
  const isFirst = !question.last_id && question.before_id === undefined;
  const answer = {
    ...presentParticipants(polled.present, end.head),
    replies: polled.replies,
    head: end.head,
    ...(await (isFirst ? firstStateOf : viewerStateOf)(participant, room, ctx)),
    new_messages: messages,
    recovered: place !== "lost",
    has_more,
    ...changes,
  };
  // Any part of the response is news, except presence and an unchanged revision.
  const isPage = place === "before" || place === "lost" || messages.length > 0;
  const hasChanged = question.revision !== undefined && question.revision !== changes.revision;
  return { answer, isNews: hadNews || isPage || hasChanged };
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

import type { PresentParticipant, RoomEvent, RoomMessage, RoomSettings } from "@soul-hub/api";
import { amend, type ChangesById, withOther } from "./feed-changes.ts";
import {
  type EventOf,
  type StreamingReply,
  syncedReplies,
  withAsked,
  withDelta,
  withoutAnswered,
  withoutReply,
} from "./feed-replies.ts";

/**
 * `is_owner`: the participant can make the room private and stop every reply in it. `seen_to`: id of
 * the newest message that the account had seen on joining; undefined for a guest.
 */
type RoomSelf = Omit<PresentParticipant, "since_id"> & { is_owner: boolean; seen_to?: number };

/** The content of a room as the client has received it. Each event creates a new object. */
export interface RoomFeed {
  /** The newest part of the log: ordered, without gaps or duplicates. */
  readonly messages: readonly RoomMessage[];
  /**
   * The changes of messages that `messages` lacked when they came: of earlier messages, and of those
   * that had not arrived yet. `rooms.sync` may be ahead of the log.
   */
  readonly otherChanges: ChangesById;
  readonly participants: readonly PresentParticipant[];
  readonly online_count: number;
  /** Replies in progress. When the stored message of a reply arrives, it replaces the reply. */
  readonly replies: readonly StreamingReply[];
  /**
   * Participants who are typing. `until` is a time of the same clock as `now` of `applyRoomEvent`.
   */
  readonly typing: readonly { sender_name: string; until: number }[];
  /** The last failed reply. The next message or question sets it to undefined. */
  readonly failed: (StreamingReply & { error: string }) | undefined;
  /** The participant that this client joined as; undefined before the first sync. */
  readonly you: RoomSelf | undefined;
  /** True if only the owner may enter the room, as of the last sync. */
  readonly is_private: boolean;
  /** The room's settings; undefined before the first sync, and with a hub of the first release. */
  readonly room: RoomSettings | undefined;
  /** Id of the newest message, for resuming; undefined before the first sync. */
  readonly cursor: number | undefined;
  /** Counts the logs. A deletion and a restored backup make a room begin another log. */
  readonly log: number;
  /** The revision up to which the feed contains the changes; undefined before the first sync. */
  readonly revision: number | undefined;
  /** The newest revision that the hub has named. If it exceeds `revision`, changes are missing. */
  readonly knownRevision: number;
  /**
   * Received messages that do not continue the log. The next `sync` event shows whether they start
   * a new log.
   */
  readonly pending: readonly RoomMessage[];
}

export const emptyFeed: RoomFeed = {
  messages: [],
  otherChanges: new Map(),
  participants: [],
  online_count: 0,
  replies: [],
  typing: [],
  failed: undefined,
  you: undefined,
  is_private: false,
  room: undefined,
  cursor: undefined,
  log: 0,
  revision: undefined,
  knownRevision: 0,
  pending: [],
};

/**
 * How long a typing indicator is shown. It outlasts the interval of typing events, two seconds
 * (decisions §6).
 */
export const TYPING_SHOWN_MS = 4_000;

/**
 * Applies one room event and returns the new feed.
 * @param now current time in milliseconds of a monotonic clock
 */
export function applyRoomEvent(feed: RoomFeed, event: RoomEvent, now: number): RoomFeed {
  switch (event.type) {
    case "message":
      return applyMessage(feed, event);
    case "sync":
      return applySync(feed, event);
    case "changed":
      return applyChange(feed, event);
    case "presence":
      return applyPresence(feed, event);
    case "typing": {
      const others = feed.typing.filter(({ sender_name }) => sender_name !== event.sender_name);
      const { sender_name } = event;
      return { ...feed, typing: [...others, { sender_name, until: now + TYPING_SHOWN_MS }] };
    }
    case "asked": {
      const replies = withAsked(feed.replies, event, feed.cursor ?? 0);
      return replies === feed.replies ? feed : { ...feed, replies, failed: undefined };
    }
    case "reply-delta":
      return { ...feed, replies: withDelta(feed.replies, event) };
    case "reply-done":
      return { ...feed, replies: withoutReply(feed.replies, event.reply_id) };
    case "reply-failed": {
      const reply = feed.replies.find(({ reply_id }) => reply_id === event.reply_id);
      const failed = reply && { ...reply, error: event.error };
      return { ...feed, replies: withoutReply(feed.replies, event.reply_id), failed };
    }
    default:
      // Ignores event types that only a newer hub knows.
      return feed;
  }
}

/** True if the hub has named a change that the feed lacks. `rooms.sync` returns it. */
export const lacksChanges = ({ revision, knownRevision }: RoomFeed): boolean =>
  revision !== undefined && knownRevision > revision;

/** Returns the feed without expired typing indicators. */
export function expireTyping(feed: RoomFeed, now: number): RoomFeed {
  const typing = feed.typing.filter(({ until }) => until > now);
  return typing.length === feed.typing.length ? feed : { ...feed, typing };
}

function applyMessage(feed: RoomFeed, event: EventOf<"message">): RoomFeed {
  const { type: _, ...message } = event;
  const { cursor, pending } = feed;
  if (cursor === undefined || (message.prev_id === cursor && message.id > cursor)) {
    const typing = feed.typing.filter(({ sender_name }) => sender_name !== message.sender_name);
    const replies = withoutAnswered(feed.replies, message, feed.messages.at(-1));
    const messages = [...feed.messages, ...amend([message], feed.otherChanges)];
    const you = withOwnership(feed.you, message);
    const room = withContinuedPath(feed.room, message);
    const changed = { messages, replies, typing, you, room };
    return { ...feed, ...changed, failed: undefined, cursor: message.id };
  }
  // A message that does not continue the log is a duplicate, or it starts a new log. A new log
  // starts, e.g., after the hub was restored from a backup. Only the next `sync` event shows which.
  const follows = pending.length > 0 && pending.at(-1)?.id === message.prev_id;
  return { ...feed, pending: follows ? [...pending, message] : [message] };
}

/**
 * Makes the sender of a room's first message its owner (decisions §5). The next `sync` event
 * confirms that.
 */
function withOwnership(you: RoomSelf | undefined, message: RoomMessage): RoomSelf | undefined {
  const isFirst = message.prev_id === 0 && message.role === "user";
  return you && isFirst && message.sender_name === you.name ? { ...you, is_owner: true } : you;
}

/**
 * Lets the path continue with a message after its end. The event `changed` with the path follows the
 * message. Until then, neither the reply in progress nor the stored message would be shown.
 */
function withContinuedPath(
  room: RoomSettings | undefined,
  { id, parent_id }: RoomMessage,
): RoomSettings | undefined {
  const isContinued = room && room.active_id !== null && room.active_id === parent_id;
  return isContinued ? { ...room, active_id: id } : room;
}

/** True if the feed holds the pending messages, and the one before them. */
function holdsPending({ messages, pending }: RoomFeed): boolean {
  const first = messages.findIndex(({ id }) => id === pending[0]?.id);
  return (
    first > 0 &&
    pending.every(({ id, prev_id }, nth) => {
      const held = messages[first + nth];
      return held?.id === id && held.prev_id === prev_id;
    })
  );
}

function applySync(feed: RoomFeed, event: EventOf<"sync">): RoomFeed {
  const { participants, online_count, head } = event;
  const replies = syncedReplies(feed.replies, event);
  const { is_private = feed.is_private } = event;
  // Polls that continue the log name no `seen_to`.
  const you = event.you && { ...feed.you, ...event.you };
  const { room = feed.room } = event;
  const present = {
    participants,
    online_count,
    replies,
    you: you ?? feed.you,
    is_private,
    room,
    pending: [],
  };
  const isComplete = (feed.cursor ?? 0) === head;
  // The connection may be lost while the client receives a new log. The `sync` event after the
  // reconnect then reports `recovered`. It is still a new log if the last pending message is the
  // room's newest message. A server that lags behind its predecessor repeats held messages instead.
  const endsPending = feed.pending.at(-1)?.id === head && !holdsPending(feed);
  const isNewLog = !isComplete && (!event.recovered || endsPending);
  // The messages that the hub has just sent contain its changes. Those that the feed held before
  // may lack some. A lower revision than the feed's is that of a server which lacks changes itself.
  const isHeld = !isNewLog || event.recovered;
  const isFormer = isHeld && feed.revision !== undefined && event.revision > feed.revision;
  const revision = isFormer ? feed.revision : event.revision;
  const revisions = { revision, knownRevision: event.revision };
  if (!isNewLog) return { ...feed, ...present, ...revisions, cursor: feed.cursor ?? head };
  const { otherChanges } = emptyFeed;
  const newest = { messages: feed.pending, otherChanges, cursor: head };
  const renewed = { ...feed, ...present, ...revisions, ...newest };
  // A reconnect after many missed messages continues the same log, further on.
  const isOtherLog = head < (feed.cursor ?? 0);
  return isOtherLog ? { ...renewed, failed: undefined, log: feed.log + 1 } : renewed;
}

function applyChange(feed: RoomFeed, event: EventOf<"changed">): RoomFeed {
  if (feed.revision === undefined) return feed;
  const knownRevision = Math.max(feed.knownRevision, event.revision);
  // The feed lacks an earlier change.
  if (event.prev_revision > feed.revision) return { ...feed, knownRevision };
  const lines = new Map(event.messages?.map((line) => [line.id, line]));
  const {
    messages: [first],
    cursor = 0,
  } = feed;
  const isHeld = (id: number) => first !== undefined && id >= first.id && id <= cursor;
  // An older change than the feed's may concern a message that arrived after the newer change.
  const amended = {
    messages: amend(feed.messages, lines),
    pending: amend(feed.pending, lines),
    otherChanges: withOther(feed.otherChanges, isHeld, event.messages),
  };
  if (event.revision < feed.revision) return { ...feed, ...amended };
  const { revision, room = feed.room } = event;
  return { ...feed, ...amended, room: room && { ...room, revision }, revision, knownRevision };
}

/**
 * Prepares the feed for another connection. If the last one broke before its `sync` event, the feed
 * may hold messages of an unknown revision. It then lacks all changes.
 * @param isResumed false for a connection that begins at the cursor, and so sends the pending
 *   messages again. Those it no longer sends are too old for the feed, and so are their states.
 */
export function restartFeed(feed: RoomFeed, isResumed = true): RoomFeed {
  const isUnknown = feed.revision === undefined || feed.pending.length > 0;
  if (!isUnknown || feed.cursor === undefined) return feed;
  return { ...feed, revision: 0, pending: isResumed ? feed.pending : [] };
}

function applyPresence(feed: RoomFeed, event: EventOf<"presence">): RoomFeed {
  const participants = [...feed.participants];
  for (const left of event.left) {
    const index = participants.findIndex(({ name }) => name === left);
    if (index >= 0) participants.splice(index, 1);
  }
  const since_id = feed.cursor ?? 0;
  for (const name of event.joined) {
    participants.push({ name, kind: participantKind(name), since_id });
  }
  return { ...feed, participants, online_count: event.online_count };
}

/**
 * Usernames contain no space, number sign or parenthesis (decisions §2), so the prefix `Anonymous #`
 * or the suffix ` (guest)` identifies a guest.
 */
export function participantKind(name: string): PresentParticipant["kind"] {
  return name.startsWith("Anonymous #") || name.endsWith(" (guest)") ? "guest" : "member";
}

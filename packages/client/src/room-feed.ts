import type { PresentParticipant, ReplyInProgress, RoomEvent, RoomMessage } from "@soul-hub/api";

/** A reply in progress, with the text that the client has received. */
interface StreamingReply extends ReplyInProgress {
  /** True if a delta was missed. The text stops growing until the stored message replaces it. */
  isPartial: boolean;
}

/** `is_owner`: the participant can make the room private and stop every reply in it. */
type RoomSelf = PresentParticipant & { is_owner: boolean };

/** The content of a room as the client has received it. Each event creates a new object. */
export interface RoomFeed {
  /** The newest part of the log: ordered, without gaps or duplicates. */
  readonly messages: readonly RoomMessage[];
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
  /** Id of the newest message, for resuming; undefined before the first sync. */
  readonly cursor: number | undefined;
  /**
   * Received messages that do not continue the log. The next `sync` event shows whether they start
   * a new log.
   */
  readonly pending: readonly RoomMessage[];
}

export const emptyFeed: RoomFeed = {
  messages: [],
  participants: [],
  online_count: 0,
  replies: [],
  typing: [],
  failed: undefined,
  you: undefined,
  is_private: false,
  cursor: undefined,
  pending: [],
};

/**
 * How long a typing indicator is shown. It outlasts the interval of typing events, two seconds
 * (decisions §6).
 */
export const TYPING_SHOWN_MS = 4_000;

type EventOf<T extends RoomEvent["type"]> = Extract<RoomEvent, { type: T }>;

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
    case "presence":
      return applyPresence(feed, event);
    case "typing": {
      const others = feed.typing.filter(({ sender_name }) => sender_name !== event.sender_name);
      const { sender_name } = event;
      return { ...feed, typing: [...others, { sender_name, until: now + TYPING_SHOWN_MS }] };
    }
    case "asked": {
      if (feed.replies.some(({ reply_id }) => reply_id === event.reply_id)) return feed;
      const { reply_id, sender_name, content } = event;
      const reply = { reply_id, sender_name, content, text: "", isPartial: false };
      return { ...feed, replies: [...feed.replies, reply], failed: undefined };
    }
    case "reply-delta":
      return applyDelta(feed, event);
    case "reply-done":
      return { ...feed, replies: withoutReply(feed, event.reply_id) };
    case "reply-failed": {
      const reply = feed.replies.find(({ reply_id }) => reply_id === event.reply_id);
      const failed = reply && { ...reply, error: event.error };
      return { ...feed, replies: withoutReply(feed, event.reply_id), failed };
    }
    default:
      // Ignores event types that only a newer hub knows.
      return feed;
  }
}

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
    const replies = withoutAnswered(feed, message);
    const messages = [...feed.messages, message];
    const you = withOwnership(feed.you, message);
    return { ...feed, messages, replies, typing, you, failed: undefined, cursor: message.id };
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
 * Returns the replies in progress without the reply whose stored message has arrived. That message
 * may arrive before the event `reply-done`.
 */
function withoutAnswered(feed: RoomFeed, message: RoomMessage): readonly StreamingReply[] {
  const question = feed.messages.at(-1);
  if (message.role !== "assistant" || question?.role !== "user") return feed.replies;
  const answered = feed.replies.find(
    ({ sender_name, content }) =>
      sender_name === question.sender_name && content === question.content,
  );
  return answered ? withoutReply(feed, answered.reply_id) : feed.replies;
}

function applySync(feed: RoomFeed, event: EventOf<"sync">): RoomFeed {
  const { participants, online_count, head } = event;
  const replies = event.replies.map((reply) => ({ ...reply, isPartial: false }));
  const { you = feed.you, is_private = feed.is_private } = event;
  const present = { participants, online_count, replies, you, is_private, pending: [] };
  const isComplete = (feed.cursor ?? 0) === head;
  // The connection may be lost while the client receives a new log. The `sync` event after the
  // reconnect then reports `recovered`. It is still a new log if the last pending message is the
  // room's newest message.
  const isNewLog = !isComplete && (!event.recovered || feed.pending.at(-1)?.id === head);
  if (isNewLog) return { ...feed, ...present, messages: feed.pending, cursor: head };
  return { ...feed, ...present, cursor: feed.cursor ?? head };
}

function applyPresence(feed: RoomFeed, event: EventOf<"presence">): RoomFeed {
  const participants = [...feed.participants];
  for (const left of event.left) {
    const index = participants.findIndex(({ name }) => name === left);
    if (index >= 0) participants.splice(index, 1);
  }
  for (const name of event.joined) participants.push({ name, kind: participantKind(name) });
  return { ...feed, participants, online_count: event.online_count };
}

/**
 * Usernames contain no space or number sign (decisions §2), so the prefix `Anonymous #` identifies
 * a guest.
 */
export function participantKind(name: string): PresentParticipant["kind"] {
  return name.startsWith("Anonymous #") ? "guest" : "member";
}

function applyDelta(feed: RoomFeed, event: EventOf<"reply-delta">): RoomFeed {
  const { reply_id, offset } = event;
  const replies = feed.replies.map((reply) => {
    if (reply.reply_id !== reply_id || reply.isPartial) return reply;
    if (offset > reply.text.length) return { ...reply, isPartial: true };
    const isKnown = offset + event.text.length <= reply.text.length;
    return isKnown ? reply : { ...reply, text: reply.text.slice(0, offset) + event.text };
  });
  return { ...feed, replies };
}

function withoutReply(feed: RoomFeed, replyId: string): readonly StreamingReply[] {
  return feed.replies.filter(({ reply_id }) => reply_id !== replyId);
}

import type { PresentParticipant, ReplyInProgress, RoomEvent, RoomMessage } from "@soul-hub/api";

/** A reply as far as this reader knows it. */
export interface StreamingReply extends ReplyInProgress {
  /** A part was missed: the text stands still, and the message brings the rest. */
  isPartial: boolean;
}

/** The reader. `is_owner`: they began the room, and may close it and stop every reply in it. */
export type RoomSelf = PresentParticipant & { is_owner: boolean };

/** What a reader knows of a room: never changed, always replaced. */
export interface RoomFeed {
  /** The log from some point on: in order, without a hole, each message once. */
  readonly messages: readonly RoomMessage[];
  readonly participants: readonly PresentParticipant[];
  readonly online_count: number;
  readonly replies: readonly StreamingReply[];
  /** Who is typing, and until when that is shown. */
  readonly typing: readonly { sender_name: string; until: number }[];
  /** The last reply that came to nothing, until something else is said. */
  readonly failed: (StreamingReply & { error: string }) | undefined;
  readonly you: RoomSelf | undefined;
  readonly is_private: boolean;
  /** The last message held, to resume from; undefined before the first sync. */
  readonly cursor: number | undefined;
  /** Messages that don't follow the log: the sync says whether a new log begins with them. */
  readonly held: readonly RoomMessage[];
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
  held: [],
};

/** Somebody who goes on typing says so every two seconds. */
export const TYPING_SHOWN_MS = 4_000;

type EventOf<T extends RoomEvent["type"]> = Extract<RoomEvent, { type: T }>;

/** The feed after one event. `now` in milliseconds, of any clock that only runs on. */
export function applyRoomEvent(feed: RoomFeed, event: RoomEvent, now: number): RoomFeed {
  switch (event.type) {
    case "message":
      return takeMessage(feed, event);
    case "sync":
      return takeSync(feed, event);
    case "presence":
      return takePresence(feed, event);
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
      return takeDelta(feed, event);
    case "reply-done":
      return { ...feed, replies: without(feed, event.reply_id) };
    case "reply-failed": {
      const reply = feed.replies.find(({ reply_id }) => reply_id === event.reply_id);
      const failed = reply && { ...reply, error: event.error };
      return { ...feed, replies: without(feed, event.reply_id), failed };
    }
    default:
      // A newer hub may say more than this client understands.
      return feed;
  }
}

/** The feed without those who stopped typing. */
export function dropTyping(feed: RoomFeed, now: number): RoomFeed {
  const typing = feed.typing.filter(({ until }) => until > now);
  return typing.length === feed.typing.length ? feed : { ...feed, typing };
}

function takeMessage(feed: RoomFeed, event: EventOf<"message">): RoomFeed {
  const { type: _, ...message } = event;
  const { cursor, held } = feed;
  if (cursor === undefined || (message.prev_id === cursor && message.id > cursor)) {
    const typing = feed.typing.filter(({ sender_name }) => sender_name !== message.sender_name);
    const replies = withoutAnswered(feed, message);
    const messages = [...feed.messages, message];
    const you = withOwnership(feed.you, message);
    return { ...feed, messages, replies, typing, you, failed: undefined, cursor: message.id };
  }
  // One that is held twice, or the beginning of a log that starts anew: also with ids below the
  // cursor, when the hub was set back. Only the sync can tell.
  const follows = held.length > 0 && held.at(-1)?.id === message.prev_id;
  return { ...feed, held: follows ? [...held, message] : [message] };
}

/** Whoever writes the first message of a room owns it; the next sync would say so, too. */
function withOwnership(you: RoomSelf | undefined, message: RoomMessage): RoomSelf | undefined {
  const isFirst = message.prev_id === 0 && message.role === "user";
  return you && isFirst && message.sender_name === you.name ? { ...you, is_owner: true } : you;
}

/** The reply's own message is here: its streaming text would stand beside it until reply-done. */
function withoutAnswered(feed: RoomFeed, message: RoomMessage): readonly StreamingReply[] {
  const question = feed.messages.at(-1);
  if (message.role !== "assistant" || question?.role !== "user") return feed.replies;
  const answered = feed.replies.find(
    ({ sender_name, content }) =>
      sender_name === question.sender_name && content === question.content,
  );
  return answered ? without(feed, answered.reply_id) : feed.replies;
}

function takeSync(feed: RoomFeed, event: EventOf<"sync">): RoomFeed {
  const { participants, online_count, head } = event;
  const replies = event.replies.map((reply) => ({ ...reply, isPartial: false }));
  const { you = feed.you, is_private = feed.is_private } = event;
  const present = { participants, online_count, replies, you, is_private, held: [] };
  const isWhole = (feed.cursor ?? 0) === head;
  // Cut in the middle of a new log, the hub goes on behind its part and calls that recovered:
  // what is held then reaches the head, and the old log does not.
  const isAnew = !isWhole && (!event.recovered || feed.held.at(-1)?.id === head);
  if (isAnew) return { ...feed, ...present, messages: feed.held, cursor: head };
  return { ...feed, ...present, cursor: feed.cursor ?? head };
}

function takePresence(feed: RoomFeed, event: EventOf<"presence">): RoomFeed {
  const participants = [...feed.participants];
  for (const left of event.left) {
    const index = participants.findIndex(({ name }) => name === left);
    if (index >= 0) participants.splice(index, 1);
  }
  for (const name of event.joined) participants.push({ name, kind: kindOf(name) });
  return { ...feed, participants, online_count: event.online_count };
}

/** No username may hold a blank or a number sign (decisions §2), so the label tells. */
function kindOf(name: string): PresentParticipant["kind"] {
  return name.startsWith("Anonymous #") ? "guest" : "member";
}

function takeDelta(feed: RoomFeed, event: EventOf<"reply-delta">): RoomFeed {
  const { reply_id, offset } = event;
  const replies = feed.replies.map((reply) => {
    if (reply.reply_id !== reply_id || reply.isPartial) return reply;
    if (offset > reply.text.length) return { ...reply, isPartial: true };
    const isKnown = offset + event.text.length <= reply.text.length;
    return isKnown ? reply : { ...reply, text: reply.text.slice(0, offset) + event.text };
  });
  return { ...feed, replies };
}

function without(feed: RoomFeed, replyId: string): readonly StreamingReply[] {
  return feed.replies.filter(({ reply_id }) => reply_id !== replyId);
}

import type { FailureCode } from "../errors.ts";

/** A stored message, as the log holds it. `prev_id` is 0 at the start of a room. */
export interface RoomMessage {
  id: number;
  prev_id: number;
  role: "user" | "assistant";
  sender_name: string;
  content: string;
}

export interface PresentParticipant {
  name: string;
  kind: "member" | "guest";
}

export interface ReplyQuestion {
  reply_id: string;
  /** Who asked. */
  sender_name: string;
  content: string;
}

/** A reply that is being written, with its text so far. */
export interface ReplyInProgress extends ReplyQuestion {
  text: string;
}

export interface MessageEvent extends RoomMessage {
  type: "message";
}

/** What the room is to one reader. */
export interface RoomStanding {
  /** Its owner alone may be here. */
  is_private: boolean;
  /** `is_owner`: they began the room; false for everybody while nobody has written in it. */
  you: PresentParticipant & { is_owner: boolean };
}

/** Once per subscription, after the missed messages. `recovered: false`: the log starts anew. */
export interface SyncEvent extends Partial<RoomStanding> {
  type: "sync";
  recovered: boolean;
  head: number;
  online_count: number;
  participants: PresentParticipant[];
  replies: ReplyInProgress[];
}

export interface AskedEvent extends ReplyQuestion {
  type: "asked";
}

export interface PresenceEvent {
  type: "presence";
  online_count: number;
  joined: string[];
  left: string[];
}

export interface TypingEvent {
  type: "typing";
  sender_name: string;
}

/** `offset` counts the UTF-16 code units of the reply before `text`. */
export interface ReplyDeltaEvent {
  type: "reply-delta";
  reply_id: string;
  offset: number;
  text: string;
}

/** `id` is the reply's message, which has come before this event. */
export interface ReplyDoneEvent {
  type: "reply-done";
  reply_id: string;
  id: number;
}

export interface ReplyFailedEvent {
  type: "reply-failed";
  reply_id: string;
  /** The failure's code; `cancelled` when somebody called the reply back. */
  error: FailureCode;
}

export type ReplyEvent = AskedEvent | ReplyDeltaEvent | ReplyDoneEvent | ReplyFailedEvent;

/** Everything `rooms.live` sends (decisions §6). */
export type RoomEvent = MessageEvent | SyncEvent | PresenceEvent | TypingEvent | ReplyEvent;

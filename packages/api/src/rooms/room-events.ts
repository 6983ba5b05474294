import type { FailureCode } from "../errors.ts";

/** A message as the log holds it. `prev_id` is the id of the message before, 0 for the first. */
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
  sender_name: string;
  content: string;
}

/** A reply in progress, with its text so far. */
export interface ReplyInProgress extends ReplyQuestion {
  text: string;
}

export interface MessageEvent extends RoomMessage {
  type: "message";
}

/** The room from the view of one client. */
export interface ViewerState {
  /** True if only the room's owner may enter. */
  is_private: boolean;
  /** The viewer as a participant. `is_owner`: the viewer wrote the room's first message. */
  you: PresentParticipant & { is_owner: boolean };
}

/**
 * Sent once, after the missed messages. If `recovered` is false, the client must discard the
 * messages that it held before.
 */
export interface SyncEvent extends Partial<ViewerState> {
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

/** A piece of a reply. `offset` is the length of the reply before `text`, in UTF-16 code units. */
export interface ReplyDeltaEvent {
  type: "reply-delta";
  reply_id: string;
  offset: number;
  text: string;
}

/**
 * `id` is the id of the message that contains the reply. That message was sent before this event.
 */
export interface ReplyDoneEvent {
  type: "reply-done";
  reply_id: string;
  id: number;
}

export interface ReplyFailedEvent {
  type: "reply-failed";
  reply_id: string;
  /** The code of the error that ended the reply; `cancelled` if a participant cancelled it. */
  error: FailureCode;
}

export type ReplyEvent = AskedEvent | ReplyDeltaEvent | ReplyDoneEvent | ReplyFailedEvent;

/** The events of `rooms.live` (decisions §6). */
export type RoomEvent = MessageEvent | SyncEvent | PresenceEvent | TypingEvent | ReplyEvent;

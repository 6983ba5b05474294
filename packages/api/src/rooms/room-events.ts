import type { FailureCode } from "../errors.ts";

/** What made a reply (0038). */
export interface MadeBy {
  soul_id: number;
  /** The version of the soul that was present when its model was called. */
  version: number;
  /** `provider:model`, or `offline`. */
  model: string;
  /** Tokens of the prompt and of the reply; null if the provider told none. */
  tokens_in: number | null;
  tokens_out: number | null;
  /** The version of the summary in the prompt; null if it contained none. */
  summary_version: number | null;
  /** Number of earlier messages in the prompt. */
  lines: number;
  /** Name of the person who edited the reply. */
  edited_by: string | null;
}

/** The participants who reacted to a message with one emoji. */
export interface Reaction {
  emoji: string;
  count: number;
  /** The names of the first participants, at most 10. */
  names: string[];
}

/** A message in its present state. An absent field has its default. */
export interface RoomLine {
  id: number;
  /** Id of the message that this one continues; null at the beginning of a tree (0038). */
  parent_id: number | null;
  role: "user" | "assistant";
  sender_name: string;
  content: string;
  /**
   * Time at which the message was stored: `YYYY-MM-DD HH:MM:SS`, UTC. Absent in an event of a server
   * of schema 8.
   */
  created_at?: string;
  /** On replies; null for a reply of an earlier release. */
  made_by?: MadeBy | null;
  /** `people`: no soul reads the message. */
  audience?: "people";
  /** Time of the last edit: `YYYY-MM-DD HH:MM:SS`, UTC. */
  edited_at?: string;
  /** True if the message was removed. Its content is then `[removed]`. */
  removed?: true;
  /** `moderator` if the hub's staff removed the message (0062). */
  removed_by?: "moderator";
  /** True if the message came with an imported archive (0053). */
  imported?: true;
  reactions?: Reaction[];
  /** The room's revision of the message's last change; absent before the first change. */
  revision?: number;
}

/** A message as the log holds it. `prev_id` is the id of the message before, 0 for the first. */
export interface RoomMessage extends RoomLine {
  prev_id: number;
}

/**
 * A soul of a room. `version` null: the room follows the soul. `latest`: its present version, or null
 * for a reader who may not use the soul.
 */
export interface SoulInRoom {
  soul_id: number;
  title: string;
  /** The name that a mention addresses. */
  handle: string;
  version: number | null;
  latest: number | null;
}

/** Why a reader may not use the room's own soul (0076). */
export type SoulState = "available" | "private" | "gated" | "deleted";

/** The source of a copied room: its title, the last copied message, and when, in UTC. */
interface CopiedRoom {
  from: string;
  to_id: number;
  at: string;
}

/** The settings of a room (decisions §5, Rooms). */
export interface RoomSettings {
  revision: number;
  title: string;
  /** The end of the path; null: the newest message. */
  active_id: number | null;
  answers: "always" | "addressed";
  talk: "anyone" | "members" | "owner";
  /** Absent in an event of a server of the former release. */
  soul_state: SoulState;
  /** The room's own soul first. */
  souls: SoulInRoom[];
  /** Absent in a room that is no copy (0042). */
  copied?: CopiedRoom;
  /**
   * The room's own soul for readers who may not use it. Absent while everyone may. `settingsFor`
   * removes it before the settings leave the hub.
   */
  outside?: { soul_state: SoulState; title: string; handle: string };
}

/**
 * The present state of everything that changed after `prev_revision`, up to `revision`. A change
 * adds no message: it concerns the room or messages that the log already holds.
 */
export interface RoomChange {
  revision: number;
  prev_revision: number;
  room?: RoomSettings;
  /** At most 50 messages. */
  messages?: RoomLine[];
}

export interface PresentParticipant {
  name: string;
  kind: "member" | "guest";
  /** Id of the newest message when the participant joined. */
  since_id: number;
}

/**
 * The question of a reply in progress. The last three fields are absent in an event of a server of
 * schema 2.
 */
export interface ReplyQuestion {
  reply_id: string;
  sender_name: string;
  /**
   * The question. Empty if the room has it already: an earlier question is answered again, or a
   * further soul replies.
   */
  content: string;
  /** Id of the message that the question or the new reply continues; null if there is none. */
  parent_id?: number | null;
  /** Id of the question that is answered again; null for a new question. */
  regenerates?: number | null;
  /** The soul that replies. */
  soul_id?: number;
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
  /**
   * The viewer as a participant. `is_owner`: the viewer wrote the room's first message. `seen_to`:
   * id of the newest message that an account had seen when it joined (0042).
   */
  you: Omit<PresentParticipant, "since_id"> & { is_owner: boolean; seen_to?: number };
}

/**
 * Sent once, after the missed messages. If `recovered` is false, the client must discard the
 * messages that it held before.
 */
export interface SyncEvent extends Partial<ViewerState> {
  type: "sync";
  recovered: boolean;
  head: number;
  /** A client that holds messages of another revision asks `rooms.sync` for the changes. */
  revision: number;
  room?: RoomSettings | undefined;
  online_count: number;
  participants: PresentParticipant[];
  replies: ReplyInProgress[];
}

export interface AskedEvent extends ReplyQuestion {
  type: "asked";
}

/** A client whose revision is not `prev_revision` asks `rooms.sync` for the changes. */
export interface ChangedEvent extends RoomChange {
  type: "changed";
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
export type RoomEvent =
  | MessageEvent
  | SyncEvent
  | ChangedEvent
  | PresenceEvent
  | TypingEvent
  | ReplyEvent;

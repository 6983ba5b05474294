import type { MessageEvent, ReplyEvent, RoomChange, TypingEvent } from "../room-events.ts";

/** A message from a server of schema 2, which does not tell its parent (0038). */
export type FormerMessageEvent = Omit<MessageEvent, "parent_id"> & { parent_id?: undefined };

/**
 * Selects the sessions whose access rights are checked again: by participant, by the beginning of
 * the room's key, and by the room's owner.
 */
export interface RecheckScope {
  participantId?: string;
  /** Beginnings of keys, of which one fits. */
  roomPrefixes?: readonly string[];
  /** Rooms whose owner is not known to a server are checked, too. */
  ownerId?: string;
  /** True if the participant is another one from now on (0077): its sessions end. */
  isGone?: boolean;
}

/**
 * The content of a message between servers. Changes of presence are not sent: each server compares
 * the presence store with the state of its own sessions. Losing a `presence` message thus does no
 * lasting harm.
 */
export type BusContent =
  | { kind: "message"; event: MessageEvent | FormerMessageEvent }
  /** Stored messages or the room have changed (0039). Servers of the first release ignore it. */
  | { kind: "changed"; change: RoomChange }
  | {
      kind: "transient";
      /** Id of the stored message that the event must follow; 0 for none. */
      after: number;
      /** Id of a participant who does not receive the event, such as the one who types. */
      except?: string;
      event: TypingEvent | ReplyEvent;
    }
  /** A participant joined or left. The receiver reads the presence store. */
  | { kind: "presence" }
  /** Replies that Redis had lost are stored again. The receiver reads the reply store. */
  | { kind: "replies" }
  /** The title or a version of a soul has changed. The receiver reads its rooms' settings. */
  | { kind: "soul-changed"; soulId: number }
  /** The room's log was deleted (0035). The receiver reads the room anew. */
  | { kind: "log-deleted" }
  /**
   * Servers of schema 25 send one `roomPrefix`. They do not know `roomPrefixes`, and then check all
   * rooms.
   */
  | ({ kind: "recheck"; roomPrefix?: string } & RecheckScope)
  | { kind: "cancel-reply"; replyId: string; participantId: string }
  /**
   * The room was deleted (0042), or with `bannedId` a participant was banned from it (0040). The
   * receiver cancels the replies that it writes in the room, or only those to that participant.
   */
  | { kind: "cancel-replies"; roomKey: string; bannedId?: string | undefined };

/** `from` is the node id of the server that published the message. */
export type BusMessage = BusContent & { from: string };

export type BusListener = (message: BusMessage) => void;

export interface RoomBus {
  /**
   * True if the bus never loses, repeats or reorders a message. Otherwise the rooms compare their
   * newest message with the log every HEAD_CHECK_MS.
   */
  readonly lossless: boolean;
  /**
   * Delivers a message to this server's listeners in the same turn of the event loop, even if the
   * network fails. A lossless bus keeps the order of one publisher's messages.
   * @returns false if the message reached this server only
   */
  publish(channel: string, message: BusMessage): Promise<boolean>;
  /**
   * Adds a listener. Once the promise resolves, the bus delivers every message until its next
   * outage.
   */
  subscribe(channel: string, listener: BusListener): Promise<() => Promise<void>>;
  /**
   * Calls `listener` after each outage in which messages may have been lost, once the bus delivers
   * again.
   */
  onGap(listener: () => void): () => void;
  /** The total number of listeners on all channels. */
  readonly listeners: number;
}

/** The channel of messages that concern several rooms. No room has this key. */
export const HUB_CHANNEL = "*";

import type { MessageEvent, ReplyEvent, TypingEvent } from "./room-events.ts";

/**
 * What travels between servers: a small header and the event, which a bus over a network carries
 * as ready JSON. Presence does not travel: each server compares what the presence store holds with
 * what its own people were told, so a lost hint heals by itself.
 */
export type BusMessage =
  | { kind: "message"; from: string; event: MessageEvent }
  | {
      kind: "passing";
      from: string;
      /** The message this event must not overtake, 0 for none. */
      after: number;
      /** The participant it is not for (a typist does not see himself type). */
      except?: string;
      event: TypingEvent | ReplyEvent;
    }
  /** Somebody has come or gone: look who is there. */
  | { kind: "presence"; from: string }
  /** Replies are in the store again that Redis had lost: look them up. */
  | { kind: "replies"; from: string }
  | { kind: "recheck"; from: string; participantId?: string; roomPrefix?: string }
  | { kind: "cancel-reply"; from: string; replyId: string; participantId: string };

export type BusListener = (message: BusMessage) => void;

export interface RoomBus {
  /**
   * True when nothing published is ever lost, doubled or reordered. Otherwise the rooms compare
   * their heads with the log every HEAD_CHECK_MS.
   */
  readonly lossless: boolean;
  /**
   * This server's own listeners hear it in the turn of the call, whatever the network does. One
   * publisher's messages reach a listener in order, unless the bus says it is lossy.
   * @returns false: only this server has heard it
   */
  publish(channel: string, message: BusMessage): Promise<boolean>;
  /** Once this resolves, everything published is heard, unless there is a gap. */
  subscribe(channel: string, listener: BusListener): Promise<() => Promise<void>>;
  /** Calls back when messages may have been missed, and from now on all are heard again. */
  onGap(listener: () => void): () => void;
  /** Listeners over all channels. */
  readonly listeners: number;
}

/** The channel of what concerns more than one room. No room may be called so. */
export const HUB_CHANNEL = "*";

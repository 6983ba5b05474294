import { HUB_CHANNEL, type RecheckScope } from "./bus/room-bus.ts";
import type { Participant } from "./ports/presence-store.ts";
import { createDeltaBatching } from "./replies/delta-batcher.ts";
import { type ReplyWriter, writeReply } from "./replies/reply-writer.ts";
import type { ReplyQuestion, RoomChange, RoomMessage } from "./room-events.ts";
import type { RoomServer } from "./room-server.ts";

/**
 * Creates the functions that tell every server of an event, this one included. A server that does
 * not receive a message or a change reads it from the log.
 */
export function createAnnouncements({
  ports,
  replies,
  publish,
  inBackground,
  mayType,
}: RoomServer) {
  const { bus, nodeId, timers, limits } = ports;
  const batchDeltas = createDeltaBatching(timers, limits.DELTA_MS);

  return {
    typing(roomKey: string, { id, name }: Participant): void {
      if (!mayType(roomKey, id)) return;
      const event = { type: "typing" as const, sender_name: name };
      publish(roomKey, { kind: "transient", after: 0, except: id, event });
    },

    /** Publishes messages after the commit that stored them. */
    publishMessages(roomKey: string, messages: readonly RoomMessage[]): void {
      for (const message of messages) {
        publish(roomKey, { kind: "message", event: { type: "message", ...message } });
      }
    },

    /** Publishes a change of the room or of stored messages, after its commit. */
    publishChange(roomKey: string, change: RoomChange): void {
      publish(roomKey, { kind: "changed", change });
    },

    /** Makes every server read the settings of its rooms with this soul again. */
    soulChanged(soulId: number): void {
      publish(HUB_CHANNEL, { kind: "soul-changed", soulId });
    },

    startReply: (roomKey: string, question: ReplyQuestion): ReplyWriter =>
      writeReply(question, {
        batchDeltas,
        publish(event, after) {
          // The reply tracker gets the event before subscribers do. A session that reads the tracker
          // in between may receive a text twice, but misses none.
          replies.applyLocal(roomKey, event);
          // The event is stored before it is published. A server that receives the event can thus
          // read its reply.
          if (ports.replies) inBackground("storing a reply", ports.replies.store(roomKey, event));
          publish(roomKey, { kind: "transient", after, event });
        },
      }),

    /** Makes every server read the room anew, after its log was deleted or replaced. */
    forgetLog(roomKey: string): void {
      publish(roomKey, { kind: "log-deleted" });
    },

    /** Cancels the replies in progress of a deleted room, or those to a banned participant. */
    cancelReplies(roomKey: string, bannedId?: string): void {
      publish(HUB_CHANNEL, { kind: "cancel-replies", roomKey, bannedId });
    },

    /** Checks the rights of every session of the room again. */
    recheck(roomKey: string): void {
      publish(roomKey, { kind: "recheck" });
    },

    /** Checks the rights of the selected sessions in all rooms again. */
    recheckAll(scope: RecheckScope): void {
      publish(HUB_CHANNEL, { kind: "recheck", ...scope });
    },

    /**
     * Ends the sessions of a participant that is another one from now on (0077). Their clients come
     * back under its new identity.
     */
    dismiss(participantId: string): void {
      publish(HUB_CHANNEL, { kind: "recheck", participantId, isGone: true });
    },

    /**
     * Asks the other servers to cancel a reply. Each of them checks the participant's right.
     * @returns false if the bus is down
     */
    cancelElsewhere: (replyId: string, participantId: string): Promise<boolean> =>
      bus.publish(HUB_CHANNEL, { kind: "cancel-reply", from: nodeId, replyId, participantId }),
  };
}

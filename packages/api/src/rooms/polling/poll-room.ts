import type { Participant } from "../ports/presence-store.ts";
import { pollConnection } from "../ports/presence-store.ts";
import type { Room } from "../room.ts";
import type { ReplyInProgress, RoomSettings } from "../room-events.ts";
import type { RoomServer } from "../room-server.ts";
import type { PollSession } from "./poll-session.ts";
import { PollSessions } from "./poll-sessions.ts";

/** The state of a room as a polling client receives it. */
export interface PollAnswer {
  /** The participants who are present, by their id. */
  present: ReadonlyMap<string, Participant>;
  /**
   * Id of the room's newest message. Undefined if it is not in memory and must be read from the
   * database.
   */
  head: number | undefined;
  /** The room's revision; undefined as `head` is. */
  revision: number | undefined;
  /** The room's settings of that revision. */
  room: RoomSettings | undefined;
  replies: ReplyInProgress[];
}

interface PollOptions {
  /** The session of a call that may wait; it reports later changes of the returned state. */
  session?: PollSession | undefined;
  /** Id of the room's newest message, if the caller has just read it. */
  head?: number | undefined;
}

/**
 * Creates the functions that serve polling clients (decisions §5, chat-sync).
 * @param findRoom returns the active room, which it creates; undefined while the server stops
 */
export function createPolling(
  { ports, replies, publish, inBackground }: RoomServer,
  findRoom: (roomKey: string) => Room | undefined,
) {
  const { presence, limits } = ports;
  const sessions = new PollSessions();

  /** Renews a poller's lease and reads the room's state, from memory if the room is open. */
  async function poll(
    roomKey: string,
    participant: Participant,
    options: PollOptions = {},
  ): Promise<PollAnswer> {
    const room = findRoom(roomKey);
    room?.keepOpen(limits.POLLED_MS);
    // The next poll finds the state in memory.
    if (room && !room.log.isLoaded) inBackground("opening a room", room.open());
    const since_id = room?.log.knownHead ?? options.head;
    const lease = {
      participant: { ...participant, since_id },
      connection: pollConnection(participant.id),
    };
    if (await presence.renew(roomKey, [lease], limits.LEASE_MS)) {
      publish(roomKey, { kind: "presence" });
    }
    const state = {
      head: room?.log.knownHead,
      revision: room?.revisions.knownRevision,
      room: room?.revisions.room,
      replies: replies.list(roomKey),
    };
    const { participants } = await presence.list(roomKey);
    if (options.session) options.session.view = participants;
    return { present: participants, ...state };
  }

  /**
   * Opens the room for a call that may wait (decisions §5, `wait`). Call this function before
   * {@link poll}, so that the session misses no change of the polled state.
   * @returns undefined if too many calls of the participant wait, or the server shuts down
   * @throws the errors of opening the room
   */
  async function pollSession(
    roomKey: string,
    participant: Participant,
  ): Promise<PollSession | undefined> {
    const room = findRoom(roomKey);
    if (!room) return undefined;
    const session = sessions.take(room, participant);
    await room.open();
    return session;
  }

  /** Moves a guest's lease from its id without a cookie to its id with the new cookie. */
  async function adopt(roomKey: string, formerId: string, participant: Participant): Promise<void> {
    const changed = await presence.adopt(roomKey, formerId, participant);
    if (changed) publish(roomKey, { kind: "presence" });
  }

  /**
   * Ends the presence that a participant has by its polls. A subscription ends its own, when its
   * rights are checked again.
   */
  async function leave(roomKey: string, id: string): Promise<void> {
    await presence.release(roomKey, { participant: { id }, connection: pollConnection(id) }, 0);
    publish(roomKey, { kind: "presence" });
  }

  return { poll, pollSession, waits: () => sessions.waits(), adopt, leave };
}

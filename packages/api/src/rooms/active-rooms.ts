import { HubError } from "../errors.ts";
import { type BusMessage, HUB_CHANNEL } from "./bus/room-bus.ts";
import { HeadCheck } from "./head-check.ts";
import { createPolling } from "./polling/poll-room.ts";
import type { Participant } from "./ports/presence-store.ts";
import { Room } from "./room.ts";
import type { RoomAccessCache } from "./room-access-cache.ts";
import { createAnnouncements } from "./room-announcements.ts";
import { createRoomServer, type RoomServerOptions } from "./room-server.ts";
import { RoomSession, type SessionOptions } from "./sessions/room-session.ts";

declare module "../context.ts" {
  interface Hub {
    rooms: ActiveRooms;
    /** Returns the state of the bus that carries room events between servers. */
    bus(): "in-process" | "ok" | "down";
  }
}

export interface ActiveRoomsOptions extends RoomServerOptions {
  /** Called when another server asks to cancel a reply that this server may be writing. */
  onCancelReply?: (replyId: string, participantId: string) => void;
  /** Called when a room was deleted: the replies that this server writes in it are cancelled. */
  onCancelReplies?: (roomKey: string, bannedId: string | undefined) => void;
}

export type ActiveRooms = ReturnType<typeof createActiveRooms>;

/** Creates the active rooms of one server. Room keys are opaque strings. */
export function createActiveRooms(options: ActiveRoomsOptions) {
  const server = createRoomServer(options);
  const { ports, replies, publish, inBackground } = server;
  const { bus, presence, nodeId, timers } = ports;
  const rooms = new Map<string, Room>();
  const headCheck = new HeadCheck(server, rooms);
  let isClosed = false;

  /** Returns the active room, which it creates. Undefined while the server stops. */
  function findRoom(key: string): Room | undefined {
    if (isClosed) return undefined;
    const known = rooms.get(key);
    if (known) return known;
    const onClosed = () => rooms.delete(key);
    const room = new Room(key, { ...server, onClosed, openSuccessor: () => findRoom(key) });
    rooms.set(key, room);
    headCheck.start();
    return room;
  }

  function receive(message: BusMessage): void {
    if (message.kind === "recheck") recheckHere(message);
    else if (message.kind === "soul-changed") refreshRooms(message.soulId);
    else if (message.kind === "cancel-replies") {
      options.onCancelReplies?.(message.roomKey, message.bannedId);
    } else if (message.kind === "cancel-reply" && message.from !== nodeId) {
      options.onCancelReply?.(message.replyId, message.participantId);
    }
  }

  const hubChannel = bus.subscribe(HUB_CHANNEL, receive);
  inBackground("joining the hub's channel", hubChannel);
  const stopListening = bus.onGap(catchUp);

  function recheckHere(scope: Extract<BusMessage, { kind: "recheck" }>): void {
    const { participantId, roomPrefix, ownerId, isGone } = scope;
    const prefixes = scope.roomPrefixes ?? (roomPrefix === undefined ? undefined : [roomPrefix]);
    const isSelected = prefixes && beginsWithOneOf(prefixes);
    for (const room of rooms.values()) {
      if (isSelected && !isSelected(room.key)) continue;
      if (ownerId !== undefined && !room.access.forgetIfOwnedBy(ownerId)) continue;
      room.recheck(participantId, isGone);
      // The settings tell whether the room's soul can be used.
      if (isSelected) room.revisions.refresh();
    }
  }

  /** Reads the settings again, on this server: of rooms with this soul, and of those being loaded. */
  function refreshRooms(soulId: number): void {
    for (const room of rooms.values()) room.revisions.refreshSoul(soulId);
  }

  /** After an outage of the bus, reads the messages and replies that the bus did not deliver. */
  function catchUp(): void {
    if (isClosed) return;
    headCheck.run();
    for (const room of rooms.values()) room.catchUp();
    // After a bus outage, another server may have read the reply store before this server stored
    // its replies again. The published message makes that server read the reply store once more.
    for (const roomKey of replies.localRooms()) publish(roomKey, { kind: "replies" });
  }

  return {
    ...createAnnouncements(server),
    ...createPolling(server, findRoom),

    /**
     * Starts a session. It writes events into its event sink until its `end` is called.
     * @throws HubError `shutting_down`
     */
    join(roomKey: string, participant: Participant, sessionOptions: SessionOptions): RoomSession {
      const room = findRoom(roomKey);
      if (!room) throw new HubError("shutting_down");
      // Each subscription has its own lease. If a participant's subscriptions shared one lease, the
      // end of one subscription would release it for all.
      const connection = `${nodeId}/${server.nextNumber()}`;
      const session = new RoomSession(room, participant, sessionOptions, connection);
      room.join(session);
      void session.start();
      return session;
    },

    /**
     * Returns the room's access cache; undefined if this server is not subscribed and would miss
     * changes of rights.
     */
    access(roomKey: string): RoomAccessCache | undefined {
      const known = rooms.get(roomKey);
      return known?.isSubscribed ? known.access : undefined;
    },

    /** Returns the participants who are present in a room, by their id. */
    async present(roomKey: string): Promise<ReadonlyMap<string, Participant>> {
      return (await presence.list(roomKey)).participants;
    },

    /**
     * Returns the numbers of rooms, sessions, subscriptions, timers and replies in progress, for
     * /metrics. All are zero once every client has left.
     */
    counts() {
      const all = [...rooms.values()];
      const sessions = all.reduce((sum, { sessions }) => sum + sessions.size, 0);
      const subscriptions = all.filter((room) => room.isSubscribed).length;
      const { size } = replies;
      return { rooms: all.length, sessions, subscriptions, timers: timers.active, replies: size };
    },

    /**
     * Ends every session. Participants stay present for the grace period, to reconnect to another
     * server.
     */
    async close(): Promise<void> {
      isClosed = true;
      headCheck.stop();
      stopListening();
      ports.replies?.close();
      for (const room of [...rooms.values()]) {
        // Sends the events that end the replies still in progress.
        room.broadcast.flushNow();
        room.close(new HubError("shutting_down"));
      }
      const unsubscribe = await hubChannel.catch(() => undefined);
      if (unsubscribe) inBackground("leaving the hub's channel", unsubscribe());
      await server.settle();
    },
  };
}

/** An account may have thousands of souls, so a key is not compared with each beginning. */
function beginsWithOneOf(prefixes: readonly string[]): (key: string) => boolean {
  const known = new Set(prefixes);
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  return (key) => lengths.some((length) => known.has(key.slice(0, length)));
}

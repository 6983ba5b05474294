import { HubError } from "../errors.ts";
import type { BusContent } from "./bus/room-bus.ts";
import { HUB_CHANNEL } from "./bus/room-bus.ts";
import { HeadCheck } from "./head-check.ts";
import { createPolling } from "./polling/poll-room.ts";
import { type Participant, pollConnection } from "./ports/presence-store.ts";
import type { RoomPorts } from "./ports/room-ports.ts";
import { createDeltaBatching } from "./replies/delta-batcher.ts";
import { ReplyTracker } from "./replies/reply-tracker.ts";
import type { ReplyWriter } from "./replies/reply-writer.ts";
import { writeReply } from "./replies/reply-writer.ts";
import { Room } from "./room.ts";
import type { RoomAccessCache } from "./room-access-cache.ts";
import type { ReplyQuestion, RoomChange, RoomMessage } from "./room-events.ts";
import type { RoomLimits } from "./room-limits.ts";
import { roomLimits } from "./room-limits.ts";
import { createThrottle } from "./room-throttle.ts";
import type { RoomTimers } from "./room-timers.ts";
import { createRoomTimers } from "./room-timers.ts";
import type { SessionOptions } from "./sessions/room-session.ts";
import { RoomSession } from "./sessions/room-session.ts";

declare module "../context.ts" {
  interface Hub {
    rooms: ActiveRooms;
    /** Returns the state of the bus that carries room events between servers. */
    bus(): "in-process" | "ok" | "down";
  }
}

export interface ActiveRoomsOptions extends Omit<RoomPorts, "timers" | "limits"> {
  timers?: RoomTimers;
  limits?: Partial<RoomLimits>;
  /** Called when another server asks to cancel a reply that this server may be writing. */
  onCancelReply?: (replyId: string, participantId: string) => void;
  /** Called when a room was deleted: the replies that this server writes in it are cancelled. */
  onCancelReplies?: (roomKey: string, bannedId: string | undefined) => void;
}

/**
 * Selects the sessions whose access rights are checked again: by participant, by the beginning of
 * the room's key, and by the room's owner.
 */
export interface RecheckScope {
  participantId?: string;
  roomPrefix?: string;
  /** Several beginnings, of which one fits. */
  roomPrefixes?: readonly string[];
  /** Rooms whose owner is not known here are checked, too. */
  ownerId?: string;
}

export type ActiveRooms = ReturnType<typeof createActiveRooms>;

/** Creates the active rooms of one server. Room keys are opaque strings. */
export function createActiveRooms(options: ActiveRoomsOptions) {
  const timers = options.timers ?? createRoomTimers();
  const limits = { ...roomLimits, ...options.limits };
  const ports: RoomPorts = { ...options, timers, limits };
  const { bus, presence, nodeId } = ports;
  const rooms = new Map<string, Room>();
  const replies = new ReplyTracker({
    now: timers.now,
    silenceMs: limits.REPLY_SILENCE_MS,
    // The reply store is read at every renewal of leases. A reply counts as lost when two reads did
    // not find it.
    lostMs: 1.5 * limits.RENEW_MS,
  });
  const batchDeltas = createDeltaBatching(timers, limits.DELTA_MS);
  const throttleTyping = createThrottle(limits.TYPING_MS, timers.now);
  const mayType = (roomKey: string, participantId: string) =>
    throttleTyping(`${participantId} ${roomKey}`);
  const background = new Set<Promise<unknown>>();
  let lastNumber = 0;
  let lastSession = 0;
  let isClosed = false;

  function inBackground(doing: string, work: Promise<unknown>): void {
    const settled = work
      .catch((error: unknown) => ports.onError(error, doing))
      .finally(() => background.delete(settled));
    background.add(settled);
  }

  const publish = (channel: string, content: BusContent): void =>
    inBackground("publishing to a room", bus.publish(channel, { ...content, from: nodeId }));
  const headCheck = new HeadCheck({ ports, rooms, inBackground });
  const polling = createPolling({
    ports,
    replies,
    publish,
    inBackground,
    findRoom: (roomKey) => (isClosed ? undefined : getRoom(roomKey)),
  });

  const hubChannel = bus.subscribe(HUB_CHANNEL, (message) => {
    if (message.kind === "recheck") recheckHere(message);
    else if (message.kind === "soul-changed") refreshRooms(message.soulId);
    else if (message.kind === "cancel-replies") {
      options.onCancelReplies?.(message.roomKey, message.bannedId);
    } else if (message.kind === "cancel-reply" && message.from !== nodeId) {
      options.onCancelReply?.(message.replyId, message.participantId);
    }
  });
  inBackground("joining the hub's channel", hubChannel);
  const stopListening = bus.onGap(catchUp);

  function recheckHere({ participantId, roomPrefix, roomPrefixes, ownerId }: RecheckScope): void {
    const beginsWithOne = roomPrefixes && beginsWithOneOf(roomPrefixes);
    for (const room of rooms.values()) {
      if (roomPrefix !== undefined && !room.key.startsWith(roomPrefix)) continue;
      if (beginsWithOne && !beginsWithOne(room.key)) continue;
      if (ownerId !== undefined && !room.access.forgetIfOwnedBy(ownerId)) continue;
      room.recheck(participantId);
    }
  }

  function getRoom(key: string): Room {
    const known = rooms.get(key);
    if (known) return known;
    const room = new Room(key, {
      ports,
      replies,
      mayType,
      publish,
      inBackground,
      nextNumber: () => ++lastNumber,
      onClosed: () => rooms.delete(key),
      openSuccessor: () => (isClosed ? undefined : getRoom(key)),
    });
    rooms.set(key, room);
    headCheck.start();
    return room;
  }

  /** Reads the settings of the rooms with this soul again, on this server. */
  function refreshRooms(soulId: number): void {
    for (const room of rooms.values()) {
      const isInRoom = room.revisions.room?.souls.some(({ soul_id }) => soul_id === soulId);
      if (isInRoom) room.refresh();
    }
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

  /**
   * Starts a session. It writes events into its event sink until its `end` is called.
   * @throws HubError `shutting_down`
   */
  function join(roomKey: string, participant: Participant, sessionOptions: SessionOptions) {
    if (isClosed) throw new HubError("shutting_down");
    // Each subscription has its own lease. If a participant's subscriptions shared one lease, the
    // end of one subscription would release it for all.
    const connection = `${nodeId}/${++lastSession}`;
    const room = getRoom(roomKey);
    const session = new RoomSession(room, participant, sessionOptions, connection);
    room.join(session);
    void session.start();
    return session;
  }

  /**
   * Returns the room's access cache; undefined if this server is not subscribed and would miss
   * changes of rights.
   */
  function access(roomKey: string): RoomAccessCache | undefined {
    const known = rooms.get(roomKey);
    return known?.isSubscribed ? known.access : undefined;
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

  /** Returns the participants who are present in a room, by their id. */
  async function present(roomKey: string): Promise<ReadonlyMap<string, Participant>> {
    return (await presence.list(roomKey)).participants;
  }

  function typing(roomKey: string, { id, name }: Participant): void {
    if (!mayType(roomKey, id)) return;
    const event = { type: "typing" as const, sender_name: name };
    publish(roomKey, { kind: "transient", after: 0, except: id, event });
  }

  /**
   * Publishes messages after the commit that stored them. A server that does not receive a message
   * reads it from the log.
   */
  function publishMessages(roomKey: string, messages: readonly RoomMessage[]): void {
    for (const message of messages) {
      publish(roomKey, { kind: "message", event: { type: "message", ...message } });
    }
  }

  /**
   * Publishes a change of the room or of stored messages, after its commit. A server that does not
   * receive a change reads it from the log.
   */
  function publishChange(roomKey: string, change: RoomChange): void {
    publish(roomKey, { kind: "changed", change });
  }

  /** Makes every server read the settings of its rooms with this soul again. */
  function soulChanged(soulId: number): void {
    publish(HUB_CHANNEL, { kind: "soul-changed", soulId });
  }

  function startReply(roomKey: string, question: ReplyQuestion): ReplyWriter {
    return writeReply(question, {
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
    });
  }

  /** Makes every server read the room anew, after its log was deleted or replaced. */
  function forgetLog(roomKey: string): void {
    publish(roomKey, { kind: "log-deleted" });
  }

  /**
   * Cancels the replies in progress of a deleted room, or those to a banned participant, on every
   * server.
   */
  function cancelReplies(roomKey: string, bannedId?: string): void {
    publish(HUB_CHANNEL, { kind: "cancel-replies", roomKey, bannedId });
  }

  /** Checks the rights of every session of the room again, on every server. */
  function recheck(roomKey: string): void {
    publish(roomKey, { kind: "recheck" });
  }

  /** Checks the rights of the selected sessions in all rooms again, on every server. */
  function recheckAll(scope: RecheckScope): void {
    publish(HUB_CHANNEL, { kind: "recheck", ...scope });
  }

  /**
   * Asks the other servers to cancel a reply. Each of them checks the participant's right.
   * @returns false if the bus is down
   */
  function cancelElsewhere(replyId: string, participantId: string): Promise<boolean> {
    const message = { kind: "cancel-reply" as const, from: nodeId, replyId, participantId };
    return bus.publish(HUB_CHANNEL, message);
  }

  /**
   * Returns the numbers of rooms, sessions, subscriptions, timers and replies in progress, for
   * /metrics. All are zero once every client has left.
   */
  function counts() {
    const all = [...rooms.values()];
    const sessions = all.reduce((sum, { sessions }) => sum + sessions.size, 0);
    const subscriptions = all.filter((room) => room.isSubscribed).length;
    const { size } = replies;
    return { rooms: all.length, sessions, subscriptions, timers: timers.active, replies: size };
  }

  /**
   * Ends every session. Participants stay present for the grace period, to reconnect to another
   * server.
   */
  async function close(): Promise<void> {
    isClosed = true;
    headCheck.stop();
    stopListening();
    ports.replies?.close();
    for (const room of [...rooms.values()]) {
      // Sends the events that end the replies still in progress.
      room.flushNow();
      room.close(new HubError("shutting_down"));
    }
    const unsubscribe = await hubChannel.catch(() => undefined);
    if (unsubscribe) inBackground("leaving the hub's channel", unsubscribe());
    while (background.size > 0) await Promise.all(background);
  }

  return {
    join,
    ...polling,
    access,
    adopt,
    leave,
    present,
    typing,
    publishMessages,
    publishChange,
    soulChanged,
    startReply,
    forgetLog,
    cancelReplies,
    recheck,
    recheckAll,
    cancelElsewhere,
    counts,
    close,
  };
}

/** An account may have thousands of souls, so a key is not compared with each beginning. */
function beginsWithOneOf(prefixes: readonly string[]): (key: string) => boolean {
  const known = new Set(prefixes);
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  return (key) => lengths.some((length) => known.has(key.slice(0, length)));
}

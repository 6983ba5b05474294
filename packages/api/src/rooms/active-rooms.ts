import { HubError } from "../errors.ts";
import type { BusContent } from "./bus/room-bus.ts";
import { HUB_CHANNEL } from "./bus/room-bus.ts";
import type { SessionOptions } from "./delivery/room-session.ts";
import { RoomSession } from "./delivery/room-session.ts";
import type { PollSession } from "./polling/poll-session.ts";
import { PollSessions } from "./polling/poll-sessions.ts";
import type { Participant } from "./presence/presence-store.ts";
import { pollConnection } from "./presence/presence-store.ts";
import { createDeltaBatching } from "./replies/delta-batcher.ts";
import { ReplyTracker } from "./replies/reply-tracker.ts";
import type { ReplyWriter } from "./replies/reply-writer.ts";
import { writeReply } from "./replies/reply-writer.ts";
import { Room } from "./room.ts";
import type { RoomAccessCache } from "./room-access-cache.ts";
import type { ReplyInProgress, ReplyQuestion, RoomMessage } from "./room-events.ts";
import type { RoomLimits } from "./room-limits.ts";
import { roomLimits } from "./room-limits.ts";
import type { RoomPorts } from "./room-ports.ts";
import { createThrottle } from "./room-throttle.ts";
import type { RoomTimers } from "./room-timers.ts";
import { createRoomTimers } from "./room-timers.ts";

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
}

/** The state of a room as a polling client receives it. */
export interface PollAnswer {
  /** The participants who are present, by their id. */
  present: ReadonlyMap<string, Participant>;
  /**
   * Id of the room's newest message. Undefined if it is not in memory and must be read from the
   * database.
   */
  head: number | undefined;
  replies: ReplyInProgress[];
}

/**
 * Selects the sessions whose access rights are checked again: by participant, by the beginning of
 * the room's key, or by both.
 */
export interface RecheckScope {
  participantId?: string;
  roomPrefix?: string;
}

export type ActiveRooms = ReturnType<typeof createActiveRooms>;

/** Creates the active rooms of one server. Room keys are opaque strings. */
export function createActiveRooms(options: ActiveRoomsOptions) {
  const timers = options.timers ?? createRoomTimers();
  const limits = { ...roomLimits, ...options.limits };
  const ports: RoomPorts = { ...options, timers, limits };
  const { bus, presence, nodeId } = ports;
  const rooms = new Map<string, Room>();
  const polls = new PollSessions();
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
  let cancelHeadCheck: (() => void) | undefined;

  function inBackground(doing: string, work: Promise<unknown>): void {
    const settled = work
      .catch((error: unknown) => ports.onError(error, doing))
      .finally(() => background.delete(settled));
    background.add(settled);
  }

  const publish = (channel: string, content: BusContent): void =>
    inBackground("publishing to a room", bus.publish(channel, { ...content, from: nodeId }));

  const hubChannel = bus.subscribe(HUB_CHANNEL, (message) => {
    if (message.kind === "recheck") recheckHere(message);
    else if (message.kind === "cancel-reply" && message.from !== nodeId) {
      options.onCancelReply?.(message.replyId, message.participantId);
    }
  });
  inBackground("joining the hub's channel", hubChannel);
  const stopListening = bus.onGap(catchUp);

  function recheckHere({ participantId, roomPrefix }: RecheckScope): void {
    for (const room of rooms.values()) {
      if (roomPrefix === undefined || room.key.startsWith(roomPrefix)) room.recheck(participantId);
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
    });
    rooms.set(key, room);
    if (!bus.lossless) cancelHeadCheck ??= timers.after(limits.HEAD_CHECK_MS, repeatHeadCheck);
    return room;
  }

  function repeatHeadCheck(): void {
    cancelHeadCheck = undefined;
    if (rooms.size === 0 || isClosed) return;
    cancelHeadCheck = timers.after(limits.HEAD_CHECK_MS, repeatHeadCheck);
    inBackground("checking the heads of rooms", checkHeads());
  }

  /** After an outage of the bus, reads the messages and replies that the bus did not deliver. */
  function catchUp(): void {
    if (isClosed) return;
    if (rooms.size > 0) inBackground("checking the heads of rooms", checkHeads());
    for (const room of rooms.values()) room.catchUp();
    // After a bus outage, another server may have read the reply store before this server stored
    // its replies again. The published message makes that server read the reply store once more.
    for (const roomKey of replies.localRooms()) publish(roomKey, { kind: "replies" });
  }

  /**
   * Finds messages and deletions that the bus has lost: compares all rooms with the log in one
   * query.
   */
  async function checkHeads(): Promise<void> {
    const withMessages = [...rooms.values()].filter(({ buffer }) => buffer.head > 0);
    const heads = await ports.log.heads([...rooms.keys()]);
    for (const [key, head] of heads) rooms.get(key)?.log.noticeHead(head);
    for (const room of withMessages) if (!heads.has(room.key)) room.forgetLog();
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
   * Returns the id of the room's newest message if it is in memory. Otherwise opens the room, so
   * that the next poll finds the id.
   */
  function pollHead(roomKey: string): number | undefined {
    if (isClosed) return undefined;
    const room = getRoom(roomKey);
    room.keepOpen(limits.POLLED_MS);
    if (!room.log.isLoaded) inBackground("opening a room", room.open());
    return room.log.knownHead;
  }

  /**
   * Renews a poller's lease and reads the room's state, from memory if the room is open.
   * @param session the session of a call that may wait; it reports later changes of the returned
   *   state
   */
  async function poll(
    roomKey: string,
    participant: Participant,
    session?: PollSession,
  ): Promise<PollAnswer> {
    const leases = [{ participant, connection: pollConnection(participant.id) }];
    if (await presence.renew(roomKey, leases, limits.LEASE_MS)) {
      publish(roomKey, { kind: "presence" });
    }
    const head = pollHead(roomKey);
    const { participants } = await presence.list(roomKey);
    if (session) session.view = participants;
    return { present: participants, head, replies: replies.list(roomKey) };
  }

  /**
   * Opens the room for a call that may wait (decisions §5, `wait`). Call this function before
   * {@link poll}, so that the session misses no change of the polled state.
   * @returns undefined if too many calls of the participant wait, or the server shuts down
   * @throws what opening the room throws
   */
  async function pollSession(
    roomKey: string,
    participant: Participant,
  ): Promise<PollSession | undefined> {
    if (isClosed) return undefined;
    const room = getRoom(roomKey);
    const session = polls.take(room, participant);
    await room.open();
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
    for (const { id, prev_id, role, sender_name, content } of messages) {
      const event = { type: "message" as const, id, prev_id, role, sender_name, content };
      publish(roomKey, { kind: "message", event });
    }
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

  /** Closes the room on every server, after its log was deleted. */
  function forgetLog(roomKey: string): void {
    publish(roomKey, { kind: "log-deleted" });
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
    cancelHeadCheck?.();
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
    poll,
    pollSession,
    waits: () => polls.waits(),
    access,
    adopt,
    typing,
    publishMessages,
    startReply,
    forgetLog,
    recheck,
    recheckAll,
    cancelElsewhere,
    counts,
    close,
  };
}

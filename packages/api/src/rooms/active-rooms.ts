import { HubError } from "../errors.ts";
import { andThen, type Soon } from "../soon.ts";
import type { OpenDoor } from "./open-door.ts";
import type { Participant } from "./presence-store.ts";
import { pollConnection } from "./presence-store.ts";
import { ReplyBoard } from "./reply-board.ts";
import type { ReplyWriter } from "./reply-writer.ts";
import { writeReply } from "./reply-writer.ts";
import { Room } from "./room.ts";
import type { BusMessage } from "./room-bus.ts";
import { HUB_CHANNEL } from "./room-bus.ts";
import type { ReplyInProgress, ReplyQuestion, RoomMessage } from "./room-events.ts";
import type { RoomLimits } from "./room-limits.ts";
import { roomLimits } from "./room-limits.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { EnterOptions } from "./room-session.ts";
import { RoomSession } from "./room-session.ts";
import { atMostOnceIn } from "./room-throttle.ts";
import type { RoomTimers } from "./room-timers.ts";
import { createRoomTimers } from "./room-timers.ts";
import { SessionStream } from "./session-stream.ts";

export interface ActiveRoomsOptions extends Omit<RoomPorts, "timers" | "limits"> {
  timers?: RoomTimers;
  limits?: Partial<RoomLimits>;
  /** Somebody on another server wants a reply called back that may be written here. */
  onCancelReply?: (replyId: string, participantId: string) => void;
}

/** What a poller learns. */
export interface PollAnswer {
  /** By participant id; the same map, or an equal one, while nobody comes or goes. */
  present: ReadonlyMap<string, Participant>;
  /** The room's newest message id; undefined when only the log can say. */
  head: number | undefined;
  /** Those being written. */
  replies: ReplyInProgress[];
}

/** Whose right to stay has to be asked again: of one participant, or in rooms of one prefix. */
export interface RecheckScope {
  participantId?: string;
  roomPrefix?: string;
}

/** What /metrics shows and the tests expect to be zero in the end. */
export interface RoomCounts {
  rooms: number;
  sessions: number;
  subscriptions: number;
  timers: number;
  replies: number;
}

export type ActiveRooms = ReturnType<typeof createActiveRooms>;

/** The live rooms of one server. A room is named by a string that means nothing here. */
export function createActiveRooms(options: ActiveRoomsOptions) {
  const timers = options.timers ?? createRoomTimers();
  const limits = { ...roomLimits, ...options.limits };
  const ports: RoomPorts = { ...options, timers, limits };
  const { bus, presence, nodeId } = ports;
  const rooms = new Map<string, Room>();
  const replies = new ReplyBoard({
    now: timers.now,
    silenceMs: limits.REPLY_SILENCE_MS,
    // The store is asked at every renewal: it has to be missing twice.
    lostMs: 1.5 * limits.RENEW_MS,
  });
  const typedLately = atMostOnceIn(limits.TYPING_MS, timers.now);
  const mayType = (roomKey: string, participantId: string) =>
    typedLately(`${participantId} ${roomKey}`);
  const background = new Set<Promise<unknown>>();
  let lastNumber = 0;
  let lastSession = 0;
  let isClosed = false;
  let cancelHeadCheck: (() => void) | undefined;

  function inBackground(doing: string, work: Soon<unknown>): void {
    if (!(work instanceof Promise)) return;
    const settled = work
      .catch((error: unknown) => ports.onError(error, doing))
      .finally(() => background.delete(settled));
    background.add(settled);
  }

  const publish = (channel: string, message: BusMessage): void =>
    inBackground("publishing to a room", bus.publish(channel, message));

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

  function room(key: string): Room {
    const nextNumber = () => ++lastNumber;
    const found = rooms.get(key);
    if (found) return found;
    const onClosed = () => {
      if (rooms.get(key) === made) rooms.delete(key);
    };
    const needs = { ports, replies, mayType, nextNumber, inBackground, onClosed };
    const made = new Room(key, needs);
    rooms.set(key, made);
    if (!bus.lossless) cancelHeadCheck ??= timers.after(limits.HEAD_CHECK_MS, checkAgain);
    return made;
  }

  function checkAgain(): void {
    cancelHeadCheck = undefined;
    if (rooms.size === 0 || isClosed) return;
    cancelHeadCheck = timers.after(limits.HEAD_CHECK_MS, checkAgain);
    inBackground("checking the heads of rooms", checkHeads());
  }

  /** The bus was away: whatever it did not carry meanwhile is looked up. */
  function catchUp(): void {
    if (isClosed) return;
    if (rooms.size > 0) inBackground("checking the heads of rooms", checkHeads());
    for (const active of rooms.values()) active.catchUp();
    // Who was back before us has looked already, and found nothing of ours.
    for (const roomKey of replies.ownRooms()) publish(roomKey, { kind: "replies", from: nodeId });
  }

  /** Finds what a lossy bus has lost, for all rooms in one query. */
  async function checkHeads(): Promise<void> {
    const heads = await ports.log.heads([...rooms.keys()]);
    for (const [key, head] of heads) rooms.get(key)?.log.noticeHead(head);
  }

  /**
   * Registers a session, which does nothing until it is asked for an event or told where to push.
   * Its `end` ends it.
   * @throws HubError `shutting_down`
   */
  function join(
    roomKey: string,
    participant: Participant,
    enterOptions: EnterOptions,
  ): RoomSession {
    if (isClosed) throw new HubError("shutting_down");
    // One lease per subscription: two of one socket, or of two servers, must not end each other's.
    const lease = `${nodeId}/${++lastSession}`;
    const joined = room(roomKey);
    const session = new RoomSession(joined, participant, enterOptions, lease);
    joined.join(session);
    return session;
  }

  /** Nothing happens before the first event is asked for; `return` or the signal ends it. */
  function enter(
    roomKey: string,
    participant: Participant,
    enterOptions: EnterOptions,
  ): SessionStream {
    return new SessionStream(enterOptions, () => join(roomKey, participant, enterOptions));
  }

  /** What is known of the head, and a little later more: no poll waits for a room to open. */
  function follow(roomKey: string): number | undefined {
    if (isClosed) return undefined;
    const polled = room(roomKey);
    polled.keep(limits.POLLED_MS);
    if (!polled.log.isLoaded) inBackground("opening a room", polled.open());
    return polled.log.knownHead;
  }

  /**
   * A poller's sign of life, answered from memory when this server follows the room.
   * @param connection its lease's, where that is at hand and need not be made anew
   */
  function poll(
    roomKey: string,
    participant: Participant,
    connection = pollConnection(participant.id),
  ): Soon<PollAnswer> {
    const leases = [{ participant, connection }];
    return andThen(presence.renew(roomKey, leases, limits.LEASE_MS), (joined) => {
      if (joined) publish(roomKey, { kind: "presence", from: nodeId });
      const head = follow(roomKey);
      return andThen(presence.list(roomKey), ({ participants }) => ({
        present: participants,
        head,
        replies: replies.list(roomKey),
      }));
    });
  }

  /** What is known of who may enter a room; undefined while nobody here would hear of a change. */
  function door(roomKey: string): OpenDoor | undefined {
    const known = rooms.get(roomKey);
    return known?.isSubscribed ? known.door : undefined;
  }

  /** A guest got a cookie: the lease of its cookie-less beginning becomes its own. */
  function adopt(roomKey: string, formerId: string, participant: Participant): Soon<void> {
    return andThen(presence.adopt(roomKey, formerId, participant), (changed) => {
      if (changed) publish(roomKey, { kind: "presence", from: nodeId });
    });
  }

  function typing(roomKey: string, { id, name }: Participant): void {
    if (!mayType(roomKey, id)) return;
    const event = { type: "typing" as const, sender_name: name };
    publish(roomKey, { kind: "passing", from: nodeId, after: 0, except: id, event });
  }

  /** After the commit. What doesn't arrive is read from the log by whoever sees the hole. */
  function publishMessages(roomKey: string, messages: readonly RoomMessage[]): void {
    for (const { id, prev_id, role, sender_name, content } of messages) {
      const event = { type: "message" as const, id, prev_id, role, sender_name, content };
      publish(roomKey, { kind: "message", from: nodeId, event });
    }
  }

  function startReply(roomKey: string, question: ReplyQuestion): ReplyWriter {
    return writeReply(question, {
      timers,
      gatherMs: limits.DELTA_MS,
      publish(event, after) {
        // Noted first: who joins in this moment gets the text twice rather than with a hole.
        replies.note(roomKey, event);
        // The store before the bus: who hears of something can look it up.
        if (ports.replies) inBackground("keeping a reply", ports.replies.keep(roomKey, event));
        publish(roomKey, { kind: "passing", from: nodeId, after, event });
      },
    });
  }

  /** Asks every session of the room, on every server, whether it may stay. */
  function recheck(roomKey: string): void {
    publish(roomKey, { kind: "recheck", from: nodeId });
  }

  /** The same over all rooms: of one participant (a revoked key), or of one soul's rooms. */
  function recheckAll(scope: RecheckScope): void {
    publish(HUB_CHANNEL, { kind: "recheck", from: nodeId, ...scope });
  }

  /**
   * Asks the other servers to call a reply back, for somebody who may or may not do so.
   * @returns false: they could not be asked
   */
  function cancelElsewhere(replyId: string, participantId: string): Promise<boolean> {
    const message = { kind: "cancel-reply" as const, from: nodeId, replyId, participantId };
    return bus.publish(HUB_CHANNEL, message);
  }

  function counts(): RoomCounts {
    const all = [...rooms.values()];
    const sessions = all.reduce((sum, { sessions }) => sum + sessions.size, 0);
    const subscriptions = all.filter((active) => active.isSubscribed).length;
    const { size } = replies;
    return { rooms: all.length, sessions, subscriptions, timers: timers.active, replies: size };
  }

  /** Ends every session; their people stay present for the grace, to come back elsewhere. */
  async function close(): Promise<void> {
    isClosed = true;
    cancelHeadCheck?.();
    stopListening();
    ports.replies?.close();
    for (const active of [...rooms.values()]) {
      // How the last replies came out.
      active.flushNow();
      for (const session of [...active.sessions]) session.end(new HubError("shutting_down"));
      active.close();
    }
    const leave = await hubChannel.catch(() => undefined);
    if (leave) inBackground("leaving the hub's channel", leave());
    while (background.size > 0) await Promise.all(background);
  }

  return {
    join,
    enter,
    poll,
    door,
    adopt,
    typing,
    publishMessages,
    startReply,
    recheck,
    recheckAll,
    cancelElsewhere,
    counts,
    close,
  };
}

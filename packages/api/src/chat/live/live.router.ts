import { tracked } from "@trpc/server";
import { z } from "zod";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { EventQueue } from "../../rooms/delivery/event-queue.ts";
import type { EventSink } from "../../rooms/delivery/event-sink.ts";
import type { PushedEvents } from "../../rooms/delivery/pushed-events.ts";
import { cursorOf } from "../../rooms/event-id.ts";
import type { RoomEvent, ViewerState } from "../../rooms/room-events.ts";
import type { RoomSession } from "../../rooms/sessions/room-session.ts";
import { inNewCall } from "../../tracing/call-scope.ts";
import { open, router } from "../../trpc/trpc.ts";
import { authorizeCachedRoom, authorizeRoom, roomFailures } from "../access/authorize-room.ts";
import { assertMayTalk } from "../access/may-talk.ts";
import { reidentify } from "../access/reidentify.ts";
import { mergeGuestPresence, participantOf, viewerStateOf } from "../access/room-participant.ts";
import { eventsFor } from "../access/settings-for.ts";
import { GUEST_COOKIE, messageCursor, roomName } from "../chat.schema.ts";
import { syncAnswer, syncQuestion } from "../history/chat-sync.schema.ts";
import { firstStateOf } from "../history/seen-to.queries.ts";
import { syncRoom } from "../history/sync-room.service.ts";
import { type RoomName, roomKey } from "../rows/room-key.ts";

/**
 * Maximum age of a cached answer about an NFT. The hub repeats the check at least every 40 s. A
 * client whose NFT is sold is therefore disconnected within 60 s.
 */
const GATE_MAX_AGE_MS = 20_000;
/**
 * Maximum age of cached access data for a join. The first check after the join follows within 30 to
 * 40 s. A lost right therefore ends a subscription within 60 s (0016).
 */
const NEWCOMER_MAX_AGE_MS = 10_000;

/** The live rooms over WebSocket, or SSE where WebSockets are blocked (decisions §6). */
export const liveRouter = router({
  live: open("chat")
    .input(
      z.object({
        ...roomName,
        last_id: messageCursor.optional(),
        /** The id of the last event, which the tRPC client adds when it reconnects. */
        lastEventId: z.string().max(100).nullish(),
      }),
    )
    .subscription(({ ctx, input, signal }) => new LiveSubscription(ctx, input, signal)),

  typing: open("chat")
    .input(z.object(roomName))
    .output(z.object({}))
    .mutation(async ({ ctx, input }) => {
      const { key, record } = await authorizeRoom(ctx, input, ctx.hub.chatRooms);
      const typist = participantOf(ctx);
      assertMayTalk(record, typist);
      ctx.hub.rooms.typing(key, typist);
      return {};
    }),

  sync: open("chat")
    .meta({
      rest: "GET /chat-sync",
      summary: "Heartbeat, presence and new messages of a room",
      description:
        "Call it repeatedly with the id of the newest message that you have. An answer holds at most 200 messages, oldest first. Without `last_id`, or with an unknown one (`recovered: false`), it holds the newest 200. `before_id` reads older messages. Each call makes you present for 30 s.\n\nWith `revision`, the answer also holds the room's settings and the messages that changed after that revision, at most 200. A `revision` that the room has not reached is answered like an unknown `last_id`. Without it, edits, removals and reactions are not reported.\n\nWith `wait`, an answer without news is delayed until a message arrives, the revision that you sent is exceeded, a participant joins or leaves, a reply begins, ends or fails, or you lose access to the room; at most for `wait` seconds. You are present meanwhile. At most 2 calls per participant wait in a room; a further call is answered at once.",
      setsCookie: GUEST_COOKIE,
      waits: true,
      failures: roomFailures,
    })
    .input(syncQuestion)
    .output(syncAnswer)
    .query(({ ctx, input, signal }) => syncRoom(ctx, input, signal ?? ctx.connection.closed)),
});

interface LiveInput extends RoomName {
  last_id?: number | undefined;
  lastEventId?: string | null | undefined;
}

type TrackedRoomEnvelope = ReturnType<typeof tracked<RoomEvent>>;

/**
 * A subscription to a room's events. Over a WebSocket, the hub pushes the events into the socket.
 * Over SSE, tRPC iterates them.
 */
class LiveSubscription implements PushedEvents, AsyncIterable<TrackedRoomEnvelope> {
  readonly #ctx: CallContext;
  readonly #input: LiveInput;
  readonly #signal: AbortSignal | undefined;
  #session: RoomSession | undefined;

  /** @param signal over SSE: aborts when the request is closed */
  constructor(ctx: CallContext, input: LiveInput, signal: AbortSignal | undefined) {
    this.#ctx = ctx;
    this.#input = input;
    this.#signal = signal;
  }

  push(sink: EventSink, onEnd: (failure?: unknown) => void): void {
    try {
      this.#session = this.#join(sink, onEnd);
    } catch (error) {
      sink.end();
      onEnd(error);
    }
  }

  #join(sink: EventSink, onEnd: (failure?: unknown) => void): RoomSession {
    const { soul_id, session_token, last_id, lastEventId } = this.#input;
    const name = { soul_id, session_token };
    const key = roomKey(name);
    const participant = participantOf(this.#ctx);
    let viewerState: ViewerState | undefined;
    let mayUse = false;
    const authorize = async () => {
      if (!viewerState) await mergeGuestPresence(this.#ctx, key, participant);
      const maxAgeMs = viewerState ? 0 : NEWCOMER_MAX_AGE_MS;
      // Keys are revoked, rooms turn private, NFTs are sold.
      const call = await reidentify(this.#ctx);
      const ages = { maxAgeMs, gateMaxAgeMs: GATE_MAX_AGE_MS };
      const room = await authorizeCachedRoom(call, name, ages);
      const isOther = viewerState !== undefined && room.mayUse !== mayUse;
      mayUse = room.mayUse;
      viewerState = await (viewerState ? viewerStateOf : firstStateOf)(participant, room, call);
      if (isOther) this.#session?.showAnew();
    };
    const { requestId, hub } = this.#ctx;
    const begin = { name: "rooms.live", requestId, kind: "server" } as const;
    return this.#ctx.hub.rooms.join(key, participant, {
      lastId: (lastEventId ? cursorOf(lastEventId) : undefined) ?? last_id,
      // A subscription lasts for hours, so the trace covers only its beginning.
      authorize: () => (viewerState ? authorize() : inNewCall(hub.tracer, begin, authorize)),
      viewerState: () => viewerState,
      present: (batch) => eventsFor(batch, mayUse),
      sink,
      // A socket keeps the identity that it was opened with.
      onDismissed: () => this.#ctx.connection.reconnect?.(),
      onEnd,
    });
  }

  stop(): void {
    this.#session?.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TrackedRoomEnvelope, undefined> {
    const queue = new EventQueue();
    const aborted = [this.#signal, this.#ctx.leaving].filter((signal) => signal !== undefined);
    const leave = ({ reason }: AbortSignal) =>
      this.#session?.end(reason instanceof HubError ? reason : undefined);
    this.push(queue, (failure) => queue.close(failure));
    for (const signal of aborted) {
      if (signal.aborted) leave(signal);
      // The abort listeners are not removed: they are released with their signals when the request
      // ends.
      else signal.addEventListener("abort", () => leave(signal), { once: true });
    }
    try {
      for await (const { id, event } of queue) yield tracked(id, event);
    } finally {
      this.stop();
    }
    return undefined;
  }
}

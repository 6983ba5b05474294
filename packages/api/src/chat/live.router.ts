import { tracked } from "@trpc/server";
import { z } from "zod";
import { participantId } from "../accounts/caller.ts";
import type { CallContext, LiveOutlet, PushedEvents } from "../context.ts";
import { HubError } from "../errors.ts";
import { cursorOf } from "../rooms/event-id.ts";
import type { Participant } from "../rooms/presence-store.ts";
import type { RoomEvent, RoomStanding } from "../rooms/room-events.ts";
import type { EnterOptions, RoomSession } from "../rooms/room-session.ts";
import type { SessionStream } from "../rooms/session-stream.ts";
import type { Soon } from "../soon.ts";
import { admit, open, router } from "../trpc.ts";
import { GUEST_COOKIE, messageCursor, roomName } from "./chat.schema.ts";
import { syncAnswer, syncQuestion } from "./chat-sync.schema.ts";
import { syncRoom } from "./read-chat.service.ts";
import { adoptFormerSelf, enterRoom, joinRoom, participantOf, standingOf } from "./room-access.ts";
import { type RoomName, roomKey } from "./room-key.ts";

/** With a re-check every 40 s at the latest: who sold their token listens for a minute at most. */
const RECHECKED_TOKEN_MS = 20_000;

/** The live rooms as tRPC serves them (decisions §6): over WebSocket, or SSE where that is blocked. */
export const liveRouter = router({
  live: open
    .meta({ pushes: true })
    .input(
      z.object({
        ...roomName,
        last_id: messageCursor.optional(),
        /** Added by the tRPC client when it reconnects. */
        lastEventId: z.string().max(100).nullish(),
      }),
    )
    .subscription(({ ctx, input, signal }) => new LiveFeed(ctx, input, signal)),

  typing: open
    .input(z.object(roomName))
    .output(z.object({}))
    .mutation(async ({ ctx, input }) => {
      const { key } = await enterRoom(ctx, input);
      ctx.hub.rooms.typing(key, participantOf(ctx));
      return {};
    }),

  sync: open
    .meta({
      rest: {
        method: "GET",
        path: "/chat-sync",
        tag: "Chat",
        summary: "Heartbeat, presence and new messages of a room",
        description:
          "Call it again and again with the id of the newest message you hold. At most 200 messages an answer, oldest first; without `last_id`, or with one beyond the head (`recovered: false`), the newest 200. `before_id` reads older ones. `has_more`: there are more in the direction you read. Whoever asks counts as present for 30 s from then on; nobody says goodbye here.",
        setsCookie: GUEST_COOKIE,
        mayStand: true,
        failures: ["soul_not_found", "nft_required", "private_session", "chain_unavailable"],
      },
    })
    .input(syncQuestion)
    .output(syncAnswer)
    .query(({ ctx, input }) => syncRoom(ctx, input)),
});

/**
 * The right to be in the room: keys are revoked, rooms turn private, tokens are sold.
 * @param newTo the room's key, for who has just come
 */
async function mayStay(ctx: CallContext, name: RoomName, newTo?: string): Promise<RoomStanding> {
  // A guest is who it was: neither its cookie nor its address can be taken from it.
  const caller = ctx.caller.kind === "guest" ? ctx.caller : await ctx.identify("again");
  admit(caller, "open", ctx.door);
  if (participantId(caller) !== participantId(ctx.caller)) throw new HubError("unauthenticated");
  const call = { ...ctx, caller };
  const room =
    newTo === undefined
      ? await enterRoom(call, name, RECHECKED_TOKEN_MS)
      : await joinRoom(call, name, newTo, RECHECKED_TOKEN_MS);
  return standingOf(call, room);
}

type TrackedRoomEnvelope = ReturnType<typeof tracked<RoomEvent>>;

interface LiveQuestion extends RoomName {
  last_id?: number | undefined;
  lastEventId?: string | null | undefined;
}

/**
 * A room's events as tRPC tracks them, asked for one by one, or, over a socket, pushed. Not a
 * generator, which could not be ended while it waits, and would take more memory for as long as
 * somebody is in the room. It is its session's options as well, for the same reason.
 */
class LiveFeed
  implements AsyncIterableIterator<TrackedRoomEnvelope, undefined>, EnterOptions, PushedEvents
{
  readonly outlet: LiveOutlet | undefined;
  readonly signal: AbortSignal | undefined;
  readonly lastId: number | undefined;
  readonly #ctx: CallContext;
  readonly #name: RoomName;
  readonly #key: string;
  readonly #participant: Participant;
  #standing: RoomStanding | undefined;
  /** Where it is asked for events. */
  #stream: SessionStream | undefined;
  /** Where it pushes them. */
  #session: RoomSession | undefined;
  #onEnd: ((failure?: unknown) => void) | undefined;
  #isEnded = false;

  constructor(ctx: CallContext, input: LiveQuestion, stopped: AbortSignal | undefined) {
    const { soul_id, session_token, lastEventId, last_id } = input;
    this.#key = roomKey(input);
    this.#participant = participantOf(ctx);
    this.#ctx = ctx;
    this.#name = { soul_id, session_token };
    this.outlet = ctx.connection.openOutlet?.();
    // Over a socket, `return` or `stop` is called when it is stopped.
    if (!this.outlet) this.signal = eitherOf(stopped, ctx.leaving);
    this.lastId = (lastEventId ? cursorOf(lastEventId) : undefined) ?? last_id;
  }

  async mayStay(): Promise<void> {
    const newTo = this.#standing ? undefined : this.#key;
    this.#standing = await mayStay(this.#ctx, this.#name, newTo);
  }

  standing(): RoomStanding | undefined {
    return this.#standing;
  }

  push(wording: string, onEnd: (failure?: unknown) => void): void {
    this.#onEnd = onEnd;
    this.outlet?.start(wording);
    const adopted = this.#adoptFormerSelf();
    const fail = (error: unknown) => this.#end(error);
    if (adopted instanceof Promise) adopted.then(() => this.#enter()).catch(fail);
    else this.#enter();
  }

  #enter(): void {
    const { outlet } = this;
    if (this.#isEnded || !outlet) return;
    try {
      this.#session = this.#ctx.hub.rooms.join(this.#key, this.#participant, this);
      this.#session.pushTo(outlet, (failure) => this.#end(failure));
    } catch (error) {
      this.#end(error);
    }
  }

  stop(): void {
    if (this.#session) this.#session.end();
    else this.#end();
  }

  #end(failure?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.outlet?.end();
    this.#onEnd?.(failure);
  }

  #adoptFormerSelf(): Soon<void> {
    return adoptFormerSelf(this.#ctx, this.#key, this.#participant);
  }

  async next(): Promise<IteratorResult<TrackedRoomEnvelope, undefined>> {
    if (!this.#stream) {
      this.#stream = this.#ctx.hub.rooms.enter(this.#key, this.#participant, this);
      await this.#adoptFormerSelf();
    }
    const { value } = await this.#stream.next();
    return value ? { done: false, value: tracked(value.id, value.event) } : { done: true, value };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.stop();
    await this.#stream?.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const eitherOf = (one: AbortSignal | undefined, other: AbortSignal | undefined) =>
  one && other ? AbortSignal.any([one, other]) : (one ?? other);

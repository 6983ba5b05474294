import { tracked } from "@trpc/server";
import { z } from "zod";
import { participantId } from "../accounts/caller.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { cursorOf } from "../rooms/event-id.ts";
import type { RoomEvent, RoomStanding } from "../rooms/room-events.ts";
import { admit, open, router } from "../trpc.ts";
import { GUEST_COOKIE, messageCursor, roomName } from "./chat.schema.ts";
import { syncAnswer, syncQuestion } from "./chat-sync.schema.ts";
import { adoptFormerSelf, syncRoom } from "./read-chat.service.ts";
import { enterRoom, participantOf, standingOf } from "./room-access.ts";
import { type RoomName, roomKey } from "./room-key.ts";

/** With a re-check every 40 s at the latest: who sold their token listens for a minute at most. */
const RECHECKED_TOKEN_MS = 20_000;

/** The live rooms as tRPC serves them (decisions §6): over WebSocket, or SSE where that is blocked. */
export const liveRouter = router({
  live: open
    .input(
      z.object({
        ...roomName,
        last_id: messageCursor.optional(),
        /** Added by the tRPC client when it reconnects. */
        lastEventId: z.string().max(100).nullish(),
      }),
    )
    .subscription(({ ctx, input, signal }) =>
      liveFeed(ctx, input, signal ?? new AbortController().signal),
    ),

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
          "Call it again and again with the id of the newest message you hold. At most 200 messages an answer, oldest first; without `last_id`, or with one beyond the head (`recovered: false`), the newest 200. `before_id` reads older ones. `has_more`: there are more in the direction you read.",
        setsCookie: GUEST_COOKIE,
        failures: ["soul_not_found", "nft_required", "private_session", "chain_unavailable"],
      },
    })
    .input(syncQuestion)
    .output(syncAnswer)
    .query(({ ctx, input }) => syncRoom(ctx, input)),
});

/** The right to be in the room, asked again: keys are revoked, rooms turn private, tokens are sold. */
async function mayStay(ctx: CallContext, name: RoomName): Promise<RoomStanding> {
  const caller = await ctx.identify("again");
  admit(caller, "open", ctx.door);
  if (participantId(caller) !== participantId(ctx.caller)) throw new HubError("unauthenticated");
  const call = { ...ctx, caller };
  return standingOf(call, await enterRoom(call, name, RECHECKED_TOKEN_MS));
}

type TrackedRoomEnvelope = ReturnType<typeof tracked<RoomEvent>>;

interface LiveQuestion extends RoomName {
  last_id?: number | undefined;
  lastEventId?: string | null | undefined;
}

/**
 * A room's events as tRPC tracks them. Not a generator, which could not be ended while it waits,
 * and would take more memory for as long as somebody is in the room.
 */
function liveFeed(
  ctx: CallContext,
  input: LiveQuestion,
  signal: AbortSignal,
): AsyncIterableIterator<TrackedRoomEnvelope, undefined> {
  const key = roomKey(input);
  const participant = participantOf(ctx);
  const outlet = ctx.connection.openOutlet?.();
  let standing: RoomStanding | undefined;
  const events = ctx.hub.rooms.enter(key, participant, {
    lastId: (input.lastEventId ? cursorOf(input.lastEventId) : undefined) ?? input.last_id,
    signal: ctx.leaving ? AbortSignal.any([signal, ctx.leaving]) : signal,
    outlet,
    mayStay: async () => {
      standing = await mayStay(ctx, input);
    },
    standing: () => standing,
  });
  let isFirst = true;
  return {
    async next() {
      if (isFirst) await adoptFormerSelf(ctx, key, participant);
      isFirst = false;
      const { value } = await events.next();
      if (!value) return { done: true, value };
      const event = outlet ? outlet.introduce(value.event) : value.event;
      return { done: false, value: tracked(value.id, event) };
    },
    return: () => events.return(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

import { tracked } from "@trpc/server";
import { z } from "zod";
import { participantId } from "../accounts/caller.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { cursorOf } from "../rooms/event-id.ts";
import type { RoomEvent } from "../rooms/room-events.ts";
import { admit, open, router } from "../trpc.ts";
import { messageCursor, roomName } from "./chat.schema.ts";
import { syncAnswer, syncQuestion } from "./chat-sync.schema.ts";
import { adoptFormerSelf, syncRoom } from "./read-chat.service.ts";
import { enterRoom, participantOf } from "./room-access.ts";
import { type RoomName, roomKey } from "./room-key.ts";

/** Decisions §6, Sockets. */
const MAX_SUBSCRIPTIONS = 32;

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
    .subscription(async function* ({ ctx, input, signal }) {
      await enterRoom(ctx, input);
      const key = roomKey(input);
      const participant = participantOf(ctx);
      await adoptFormerSelf(ctx, key, participant);
      using _place = takeSubscription(ctx);
      const events = ctx.hub.rooms.enter(key, participant, {
        lastId: (input.lastEventId ? cursorOf(input.lastEventId) : undefined) ?? input.last_id,
        connectionId: ctx.requestId,
        signal: signal ?? new AbortController().signal,
        mayStay: () => mayStay(ctx, input),
      });
      for await (const { id, event } of events) yield tracked<RoomEvent>(id, event);
    }),

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
        failures: ["soul_not_found", "private_session"],
      },
    })
    .input(syncQuestion)
    .output(syncAnswer)
    .query(({ ctx, input }) => syncRoom(ctx, input)),
});

/** The right to be in the room, asked again: keys are revoked, sessions end, rooms turn private. */
async function mayStay(ctx: CallContext, name: RoomName): Promise<void> {
  const caller = await ctx.identify("again");
  admit(caller, "open", ctx.door);
  if (participantId(caller) !== participantId(ctx.caller)) throw new HubError("unauthenticated");
  await enterRoom({ ...ctx, caller }, name);
}

function takeSubscription({ connection }: CallContext): Disposable {
  if (connection.subscriptions >= MAX_SUBSCRIPTIONS) throw new HubError("rate_limited");
  connection.subscriptions++;
  return {
    [Symbol.dispose]: () => {
      connection.subscriptions--;
    },
  };
}

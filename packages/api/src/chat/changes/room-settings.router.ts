import { z } from "zod";
import { field } from "../../fields.schema.ts";
import { keyHolder, open, router } from "../../trpc/trpc.ts";
import { roomFailures } from "../access/authorize-room.ts";
import { roomName, roomSettings } from "../chat.schema.ts";
import { roomUpdate } from "./changes.schema.ts";
import { readRoom } from "./read-room.service.ts";
import { setRoom } from "./set-room.service.ts";

const describedRoom = roomSettings.extend({
  is_private: field(z.boolean(), false, "True if only the owner and members can enter the room."),
  is_owner: field(z.boolean(), true, "True if you started the room."),
  is_muted: field(z.boolean(), false, "True if the room's owner has muted you."),
  muted_until: field(
    z.string().nullable(),
    null,
    "When you may talk again, in UTC; null without an end, and if you are not muted.",
  ),
});
describedRoom.register(z.globalRegistry, { id: "Room" });

/** The endpoints of a room's settings (decisions §5, Rooms). */
export const roomSettingsRouter = router({
  get: open("chat")
    .meta({
      rest: "GET /room",
      summary: "Read the settings of a room",
      failures: roomFailures,
    })
    .input(z.object(roomName))
    .output(z.object({ data: describedRoom }))
    .query(async ({ ctx, input }) => ({ data: await readRoom(ctx, input) })),

  set: keyHolder("chat")
    .meta({
      rest: "PUT /room",
      writes: true,
      summary: "Change the settings of your room",
      description:
        "For the room's owner. Omitted fields stay. With `expected_revision`, the revision that you have read, nothing changes if the room has another one (`room_changed`). `souls` replaces the whole list: the room's own soul and up to 3 more, which must be public and without an NFT gate.",
      failures: [
        ...roomFailures,
        "not_owner",
        "soul_not_eligible",
        "version_not_found",
        "message_not_found",
        "room_changed",
        "limit_reached",
      ],
    })
    .input(roomUpdate)
    .output(z.object({ room: describedRoom }))
    .mutation(async ({ ctx, input }) => ({ room: await setRoom(ctx, input) })),
});

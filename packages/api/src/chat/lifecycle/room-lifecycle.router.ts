import { z } from "zod";
import { field, id, message } from "../../fields.schema.ts";
import { keyHolder, member, router } from "../../trpc/trpc.ts";
import { roomFailures } from "../access/authorize-room.ts";
import { roomName, shareId } from "../chat.schema.ts";
import { copyRoom } from "./copy-room.service.ts";
import { deleteRoom } from "./delete-room.service.ts";

/** The endpoints that delete and copy rooms (0042). */
export const roomLifecycleRouter = router({
  delete: member("chat")
    .meta({
      rest: "DELETE /room",
      summary: "Delete your session",
      description:
        "For the session's owner. Its messages, summaries, people, shares and invites are deleted, and a reply in progress is cancelled. The session is then as before its first message. A session without messages can be deleted again.",
      failures: [...roomFailures, "not_owner"],
    })
    .input(z.object(roomName))
    .output(z.object({ message }))
    .mutation(({ ctx, input }) => deleteRoom(ctx, input)),

  copy: keyHolder("chat")
    .meta({
      rest: "POST /room-copy",
      idempotent: true,
      rateRule: "copy",
      summary: "Copy a conversation into a private session of your own",
      description:
        'Copies the newest 500 messages, or 2 million characters, of a shared conversation (`share_id`), or of the path of a session that you may enter (`soul_id` and `session_token`). Removed messages and those off the record are left out, and the others keep their times. The new session is titled "Copy of …". Its souls are those of the source that everyone may use. `room_changed`: a session with `new_session_token` exists already. At most 20 copies an hour.',
      failures: [...roomFailures, "share_not_found", "message_not_found", "room_changed"],
      body: {
        share_id: "pX5mXoPdqVbE2m0t1n9r3w",
        new_session_token: "b1946ac92492d2347c6235b4d2611184",
      },
    })
    .input(
      z.object({
        share_id: shareId.optional(),
        soul_id: roomName.soul_id.optional(),
        session_token: roomName.session_token.optional(),
        to_id: field(id.optional(), 412, "The last copied message; by default the newest one."),
        new_session_token: roomName.session_token,
      }),
    )
    .output(
      z.object({
        message,
        soul_id: id,
        copied: field(z.int(), 12, "Number of copied messages."),
      }),
    )
    .mutation(({ ctx, input }) => copyRoom(ctx, input)),
});

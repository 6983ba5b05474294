import { z } from "zod";
import { field, id, NOT_BLANK } from "../../fields.schema.ts";
import { passHolder, router } from "../../trpc/trpc.ts";
import { roomFailures } from "../access/authorize-room.ts";
import { roomName } from "../chat.schema.ts";
import { say } from "./say.service.ts";

/** The longest message, each character in up to 6 bytes of JSON. */
const MAX_SAY_BYTES = 256 * 1024;

/** The endpoint for messages without a reply (decisions §5, Several souls). */
export const sayRouter = router({
  say: passHolder("chat")
    .meta({
      rest: "POST /say",
      writes: true,
      maxBodyBytes: MAX_SAY_BYTES,
      idempotent: true,
      summary: "Write a message without a reply",
      description:
        "No model is called, and no unit is spent. Off the record, only the people of the room read the message: no soul ever does. Otherwise the souls read it with their next question. At most 20 messages a minute.",
      failures: ["input_too_long", ...roomFailures, "muted"],
    })
    .input(
      z.object({
        ...roomName,
        content: field(z.string().regex(NOT_BLANK, "must not be blank"), "Back in five minutes."),
        off_record: field(
          z.boolean().default(true),
          true,
          "`false`: the souls read the message with their next question.",
        ),
      }),
    )
    .output(z.object({ message_id: field(id, 413, "Id of the message.") }))
    .mutation(async ({ ctx, input }) => ({ message_id: await say(ctx, input) })),
});

import { z } from "zod";
import { field, message } from "../../fields.schema.ts";
import { keyHolder, passHolder, router } from "../../trpc/trpc.ts";
import { roomFailures } from "../access/authorize-room.ts";
import { revision } from "../chat.schema.ts";
import { givenReaction, messageEdit, messageName } from "./changes.schema.ts";
import { editMessage } from "./edit-message.service.ts";
import { react } from "./react.service.ts";
import { removeMessage } from "./remove-message.service.ts";

/** The text and the former text of the longest message, each character in up to 6 bytes of JSON. */
const MAX_EDIT_BYTES = 512 * 1024;

const changed = z.object({
  message,
  revision: field(revision, 19, "The room's revision after the change."),
});

/** The endpoints that change stored messages (decisions §5, Changing messages). */
export const messageChangesRouter = router({
  edit: passHolder("chat")
    .meta({
      rest: "PUT /message",
      writes: true,
      maxBodyBytes: MAX_EDIT_BYTES,
      summary: "Edit a message",
      description:
        "The sender edits a message, and the room's owner a reply. No model is called; the former text is not kept. With `expected`, the text that you have read, nothing changes if the text differs (`room_changed`).",
      failures: [
        "input_too_long",
        ...roomFailures,
        "muted",
        "message_not_found",
        "not_owner",
        "room_changed",
      ],
    })
    .input(messageEdit)
    .output(changed)
    .mutation(({ ctx, input }) => editMessage(ctx, input)),

  remove: keyHolder("chat")
    .meta({
      rest: "DELETE /message",
      summary: "Remove a message",
      description:
        "For the message's sender and the room's owner. The text is deleted and reads `[removed]`; the message keeps its place. A removed message can be removed again.",
      failures: [...roomFailures, "message_not_found", "not_owner"],
    })
    .input(z.object(messageName))
    .output(changed)
    .mutation(({ ctx, input }) => removeMessage(ctx, input)),

  react: passHolder("chat")
    .meta({
      rest: "PUT /reaction",
      writes: true,
      summary: "React to a message",
      description:
        "Adds an emoji to a message, or takes it back. A message has at most 12 different emojis.",
      failures: [...roomFailures, "muted", "message_not_found", "limit_reached"],
    })
    .input(givenReaction)
    .output(changed)
    .mutation(({ ctx, input }) => react(ctx, input)),
});

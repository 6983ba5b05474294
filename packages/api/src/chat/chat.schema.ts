import { z } from "zod";
import { id } from "../fields.schema.ts";

/** Chosen by the client; in a public room it is the key to the door (decisions §2). */
const sessionToken = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, "must be 1 to 128 letters, digits or any of _ . : -")
  .meta({
    description: "Chosen by you. Whoever knows it may enter, unless the session is private.",
    examples: ["3f9a52c1e0b84d7795c1b6f0a2d4e8f1"],
  });

/** A room: one chat session of one soul. */
export const roomName = { soul_id: id, session_token: sessionToken };

const messageRole = z.enum(["user", "assistant"]).meta({ examples: ["user"] });

/** Specification §2, Chat message. */
export const chatMessage = z.object({
  role: messageRole,
  sender_name: z.string().meta({
    description: "A username, the soul's title, or `Anonymous #` and 4 characters for a guest.",
    examples: ["ada"],
  }),
  content: z.string().meta({ examples: ["What do you think of tabs?"] }),
});

/** The same with the id that chat-sync gives it. */
export const syncMessage = z.object({ id: id.meta({ examples: [411] }), ...chatMessage.shape });

export const participant = z.object({
  name: z.string().meta({ examples: ["ada"] }),
  kind: z.enum(["member", "guest"]).meta({ examples: ["member"] }),
});

/** The id of a message the client holds; 0 for none. */
export const messageCursor = z
  .int()
  .min(0)
  .meta({ examples: [411] });

/** What an answer says of the cookie that a guest is known by (decisions §3). */
export const GUEST_COOKIE = "For a guest who comes without one: `soulhub_guest`.";

import { z } from "zod";
import { id } from "../fields.schema.ts";

/** Chosen by the client; in a public room it is the key to the door (decisions §2). */
const sessionToken = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, "must be 1 to 128 letters, digits or any of _ . : -")
  .meta({ examples: ["3f9a52c1e0b84d7795c1b6f0a2d4e8f1"] });

/** A room: one chat session of one soul. */
export const roomName = { soul_id: id, session_token: sessionToken };

const messageRole = z.enum(["user", "assistant"]);

/** Specification §2, Chat message. */
export const chatMessage = z.object({
  role: messageRole,
  sender_name: z.string(),
  content: z.string(),
});

/** The same with the id that chat-sync gives it. */
export const syncMessage = z.object({ id, ...chatMessage.shape });

export const participant = z.object({ name: z.string(), kind: z.enum(["member", "guest"]) });

/** The id of a message the client holds; 0 for none. */
export const messageCursor = z.int().min(0);

import { z } from "zod";
import { field, id } from "../fields.schema.ts";

/** A token that the client chooses. It grants access to a public room (decisions §2). */
const sessionToken = field(
  z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,128}$/, "must be 1 to 128 letters, digits or any of _ . : -"),
  "3f9a52c1e0b84d7795c1b6f0a2d4e8f1",
  "Chosen by you. It grants access to the session, unless the session is private.",
);

/** A room is one chat session of one soul (decisions §5). */
export const roomName = { soul_id: id, session_token: sessionToken };

const messageRole = field(z.enum(["user", "assistant"]), "user");

/** A message in a response (specification §2, Chat message). */
export const chatMessage = z.object({
  role: messageRole,
  sender_name: field(
    z.string(),
    "ada",
    "A username, the soul's title, or `Anonymous #` and 4 characters for a guest.",
  ),
  content: field(z.string(), "What do you think of tabs?"),
});

/** A chat message with its id, as chat-sync returns it. */
export const syncMessage = z.object({ id: field(id, 411), ...chatMessage.shape });

export const participant = z.object({
  name: field(z.string(), "ada"),
  kind: field(z.enum(["member", "guest"]), "member"),
});

/** The id of a message that the client has; 0 if it has none. */
export const messageCursor = field(z.int().min(0), 411);

/**
 * A model name without its provider. It must not contain `..`, because Google's client puts it into
 * a URL path.
 */
export const MODEL_NAME = /^(?!.*\.\.)[A-Za-z0-9][\w.:/@+-]{0,199}$/;

/** OpenAPI description of the guest cookie (decisions §3). */
export const GUEST_COOKIE = "`soulhub_guest`, for a guest without a valid cookie.";

import { z } from "zod";
import { field, id, utcTime } from "../fields.schema.ts";
import { madeBy } from "./made-by.schema.ts";

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

/** The id of a share, which its link contains. */
export const shareId = field(z.string().max(100), "pX5mXoPdqVbE2m0t1n9r3w");

const messageRole = field(z.enum(["user", "assistant"]), "user");

/** Counts the changes of a room and of its stored messages; 0 before the first (0039). */
export const revision = field(z.int().min(0), 17);

const reaction = z.object({
  emoji: field(z.string(), "👍"),
  count: field(z.int(), 2),
  names: field(z.array(z.string()), ["ada", "ben"], "The first participants, at most 10."),
});
reaction.register(z.globalRegistry, { id: "Reaction" });

/**
 * A message in a response (specification §2, Chat message). Fields after `made_by` are absent while
 * they have their default (0038).
 */
export const chatMessage = z.object({
  id: field(id, 411),
  role: messageRole,
  sender_name: field(
    z.string(),
    "ada",
    "A username, the soul's title, or `Anonymous #` and 4 characters for a guest.",
  ),
  content: field(z.string(), "What do you think of tabs?"),
  created_at: utcTime.optional().describe("Time at which the message was stored."),
  parent_id: field(
    id.nullable(),
    410,
    "The message that this one continues; null at the beginning of the conversation.",
  ),
  made_by: madeBy
    .nullish()
    .describe("On replies: what made the reply; null for a reply of an earlier release."),
  audience: field(
    z.literal("people").optional(),
    "people",
    "`people`: off the record. No soul reads the message.",
  ),
  edited_at: utcTime.optional().describe("Time of the last edit."),
  removed: field(z.literal(true).optional(), true, "The content is then `[removed]`."),
  removed_by: field(
    z.literal("moderator").optional(),
    "moderator",
    "The hub's staff removed the message.",
  ),
  imported: field(
    z.literal(true).optional(),
    true,
    "The message came with an imported archive: nothing proves its name and text.",
  ),
  reactions: z.array(reaction).optional(),
  revision: field(revision.optional(), 17, "The room's revision of the message's last change."),
});
chatMessage.register(z.globalRegistry, { id: "Message" });

export const participant = z.object({
  name: field(z.string(), "ada"),
  kind: field(z.enum(["member", "guest"]), "member"),
});

export const presentParticipant = participant.extend({
  since_id: field(z.int().min(0), 409, "Id of the newest message when the participant joined."),
});
presentParticipant.register(z.globalRegistry, { id: "PresentParticipant" });

/** Maximum number of souls in a room (decisions §5, Rooms). */
export const MAX_SOULS = 4;

const soulInRoom = z.object({
  soul_id: id,
  title: field(z.string(), "The Patient Reviewer"),
  handle: field(z.string(), "the-patient-reviewer", "The name that a mention addresses."),
  version: field(z.int().min(1).nullable(), 4, "The version that answers; null follows the soul."),
  latest: field(
    z.int().min(1).nullable(),
    5,
    "The soul's present version; null if you may not use the soul.",
  ),
});
soulInRoom.register(z.globalRegistry, { id: "SoulInRoom" });

export const answersMode = field(
  z.enum(["always", "addressed"]),
  "always",
  "`always`: the room's own soul answers each message. `addressed`: a soul answers if it is mentioned.",
);

export const talkMode = field(
  z.enum(["anyone", "members", "owner"]),
  "anyone",
  "Who may send and react: everyone who may enter, accounts, or the owner alone.",
);

/** The settings of a room (decisions §5, Rooms). */
export const roomSettings = z.object({
  revision,
  title: field(z.string(), "Tabs or spaces", "By default the beginning of the first message."),
  active_id: field(id.nullable(), null, "The end of the path; null: the newest message."),
  answers: answersMode,
  talk: talkMode,
  soul_state: field(
    z.enum(["available", "private", "gated", "deleted"]),
    "available",
    "Other than `available`: you may read on, but not use the room's own soul.",
  ),
  souls: z.array(soulInRoom).describe("The room's own soul first."),
  copied: z
    .object({
      from: field(z.string(), "Tabs or spaces", "The title of the copied conversation."),
      to_id: field(id, 412, "The last copied message."),
      at: utcTime,
    })
    .optional()
    .describe("Only for a copy, made with `POST /api/room-copy`."),
});
roomSettings.register(z.globalRegistry, { id: "RoomSettings" });

/** The id of a message that the client has; 0 if it has none. */
export const messageCursor = field(z.int().min(0), 411);

/**
 * A model name without its provider. It must not contain `..`, because Google's client puts it into
 * a URL path.
 */
export const MODEL_NAME = /^(?!.*\.\.)[A-Za-z0-9][\w.:/@+-]{0,199}$/;

/** OpenAPI description of the guest cookie (decisions §3). */
export const GUEST_COOKIE = "`soulhub_guest`, for a guest without a valid cookie.";

import { defineEntity, p } from "@mikro-orm/core";
import type { MadeBy } from "../rooms/room-events.ts";
import { ChatRoom } from "./chat-room.entity.ts";

/**
 * The beginning of the sender of another person's message in a copied room (0042): `copied:<n>`. The
 * person is no participant of that room.
 */
export const COPIED = "copied:";

/** The beginning of the sender of a line whose account was deleted (0063): `deleted:<id>`. */
export const DELETED = "deleted:";

/** Reports whether a line is of a former sender: of no participant whom the room can name or ban. */
export const isFormer = (sender: string): boolean =>
  sender.startsWith(COPIED) || sender.startsWith(DELETED);

/** {@link MadeBy} as the row of a reply stores it. The column `edited_by` holds the rest. */
export type StoredMadeBy = Omit<MadeBy, "edited_by">;

/** One message of a room (specification §2, Chat message). */
export const ChatMessage = defineEntity({
  name: "chat_messages",
  properties: {
    id: p.bigint("number").primary(),
    room: () => p.manyToOne(ChatRoom).deleteRule("cascade"),
    /**
     * Id of the room's previous message; 0 for the first message. It is unique per room, so that
     * the log cannot branch.
     */
    prev_id: p.bigint("number"),
    role: p.text(),
    /**
     * `account:<id>`, `guest:<id>`, or `soul` for the assistant; in a copied room {@link COPIED}, else
     * {@link DELETED} after the deletion of its account.
     */
    sender: p.text(),
    sender_name: p.text(),
    content: p.text(),
    /**
     * On a reply: id of the quota hold that was settled in the transaction that stored the reply.
     */
    hold_id: p.bigint("number").nullable(),
    /**
     * Id of the message that this one continues, its parent in the room's tree (0038). Null
     * means `prev_id`; 0 means that the message begins a tree.
     */
    parent_id: p.bigint("number").nullable(),
    /** On a reply: the soul's version, the model and the prompt that made it (0038). */
    made_by: p.json<StoredMadeBy>().nullable(),
    /** `room`: people and souls read the message. `people`: no prompt contains it. */
    audience: p.text().default("room"),
    /** The room's revision at the last change of this message; 0 if it never changed. */
    revision: p.bigint("number").default(0),
    edited_at: p.string().columnType("timestamptz").nullable(),
    /** Name of the participant who edited the message. */
    edited_by: p.text().nullable(),
    /** Time at which the content was removed. The row then contains `[removed]`. */
    removed_at: p.string().columnType("timestamptz").nullable(),
    /** `moderator` if the hub's staff removed the message (0062). */
    removed_by: p.text().nullable(),
    /** True if the message came with an archive, so that its name and text prove nothing (0053). */
    imported: p.boolean().default(false),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  uniques: [{ name: "chat_messages_chain_unique", properties: ["room", "prev_id"] }],
  indexes: [
    { name: "chat_messages_room_id_index", properties: ["room", "id"] },
    { name: "chat_messages_sender_index", properties: ["sender", "room"] },
    {
      name: "chat_messages_revision_index",
      properties: ["room", "revision"],
      where: "revision > 0",
    },
    {
      name: "chat_messages_branches_index",
      properties: ["room", "id", "parent_id"],
      where: "parent_id is not null",
    },
  ],
  checks: [
    { name: "chat_messages_role_check", expression: "role in ('user', 'assistant')" },
    { name: "chat_messages_order_check", expression: "prev_id < id" },
  ],
});

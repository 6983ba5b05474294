import { defineEntity, p } from "@mikro-orm/core";
import { Soul } from "../souls/soul.entity.ts";

/** A soul of a room. Its `version` is null while it follows the soul's present state (0038). */
export interface RoomSoul {
  soul_id: number;
  handle: string;
  version: number | null;
}

/**
 * One chat session of a soul, identified by `session_token`. The token grants access to a public
 * room, so the table stores only its hash and its ciphertext.
 */
export const ChatRoom = defineEntity({
  name: "chat_rooms",
  properties: {
    id: p.bigint("number").primary(),
    soul: () => p.manyToOne(Soul).deleteRule("cascade"),
    token_hash: p.text(),
    token_sealed: p.text(),
    /** The room's owner, who wrote its first message: `account:<id>` or `guest:<id>`. */
    owner: p.text().index(),
    is_private: p.boolean().default(false),
    /** True if the hub's staff have closed the room: its owner alone may enter (0062). */
    is_closed: p.boolean().default(false),
    /**
     * Id of the newest message; 0 before the first. It is updated under the row lock, so that
     * message ids are in commit order.
     */
    head_id: p.bigint("number").default(0),
    summary: p.text().nullable(),
    /** The newest message that the summary covers. */
    summarised_to: p.bigint("number").default(0),
    /**
     * Expiry of a server's claim to summarise this room. The claim ensures that one summary call
     * per room runs at a time.
     */
    folding_until: p.string().columnType("timestamptz").nullable(),
    /**
     * Counts the changes of existing messages and of the room (0038). Each change takes the
     * next number under the row lock.
     */
    revision: p.bigint("number").default(0),
    /** The message at which the room's path ends; null means the newest message. */
    active_id: p.bigint("number").nullable(),
    /** Counts the moves of the path to another branch. A message that continues it is no move. */
    path_epoch: p.integer().default(0),
    /** False while the path is the whole log, so that no read has to walk the tree. */
    is_branched: p.boolean().default(false),
    title: p.text().nullable(),
    /** The title of the conversation of which the room is a copy (0042). */
    copied_from: p.text().nullable(),
    /** The last copied message. */
    copied_to: p.bigint("number").nullable(),
    /** `always`: the host answers each message. `addressed`: a soul answers if it is mentioned. */
    answers: p.text().default("always"),
    /** Participants who may talk: `anyone`, `members` (accounts) or `owner`. */
    talk: p.text().default("anyone"),
    /** The room's souls, the host first. Null means the host alone, in its present version. */
    souls: p.json<RoomSoul[]>().nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    updated_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  uniques: [{ name: "chat_rooms_name_unique", properties: ["soul", "token_hash"] }],
});

/**
 * The address at which a room was, or is again (0042). Only the owner of that room may begin one
 * there, so that the links of other people never lead to a stranger's room.
 */
export const ReservedRoom = defineEntity({
  name: "reserved_rooms",
  properties: {
    soul: () => p.manyToOne(Soul).primary().deleteRule("cascade").updateRule("no action"),
    token_hash: p.text().primary(),
    /** The former owner: `account:<id>`, `guest:<id>`, or of a deleted account `deleted:<id>`. */
    owner: p.text().index(),
  },
});

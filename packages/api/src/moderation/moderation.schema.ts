import { z } from "zod";
import { atMost, field, id, NOT_BLANK, utcTime } from "../fields.schema.ts";

/** Why something is reported, and why staff act (0062). */
export const reason = field(
  z.enum([
    "spam",
    "abuse",
    "sexual",
    "minors",
    "violence",
    "illegal",
    "private_data",
    "impersonation",
    "other",
  ]),
  "spam",
);
export type Reason = z.infer<typeof reason>;

export const targetKind = field(z.enum(["soul", "message", "person", "room"]), "soul");

/** What a report or a case is about. */
export const target = z.object({
  kind: targetKind,
  soul_id: id.nullable().describe("The soul, or that of the room."),
  room_id: field(id.nullable(), null),
  message_id: field(id.nullable(), null),
  title: field(
    z.string().nullable(),
    "The Patient Reviewer",
    "The soul's present title; null if you may not read it.",
  ),
  username: field(
    z.string().nullable(),
    "ada",
    "The account that is answerable, if there is one and you may know it.",
  ),
});
target.register(z.globalRegistry, { id: "Target" });

export const action = field(
  z.enum([
    "dismiss",
    "warn",
    "hide_soul",
    "remove_message",
    "close_room",
    "silence",
    "suspend",
    "restore",
  ]),
  "hide_soul",
);
export type Action = z.infer<typeof action>;

const MAX_SUSPENSION_DAYS = 365;

export const days = field(
  z.int().min(1).max(MAX_SUSPENSION_DAYS).nullable(),
  7,
  "For `silence` and `suspend`. Null, for `suspend` alone: until it is lifted.",
);

const longText = (limit: number) => atMost(limit).regex(NOT_BLANK, "must not be blank");

export const messageToAuthor = field(
  longText(2_000),
  "Please take the address out.",
  "The author reads it in the notice.",
);
export const appealText = field(longText(2_000), "The address is my own shop's.");
export const note = field(atMost(1_000).default(""), "It shows my address.");

/** The appeal against a decision. */
export const appeal = z.object({
  text: field(z.string(), "The address is my own shop's."),
  created_at: utcTime,
  outcome: field(
    z.enum(["upheld", "restored"]).nullable(),
    null,
    "Null while nobody has decided it.",
  ),
});
appeal.register(z.globalRegistry, { id: "Appeal" });

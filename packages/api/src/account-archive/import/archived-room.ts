import { z } from "zod";
import { roomName } from "../../chat/chat.schema.ts";
import { madeBy } from "../../chat/made-by.schema.ts";
import { archivedId, archivedTime, shortText } from "./archived-fields.ts";

// The lines of `rooms/<n>.ndjson`.

const roomHead = z.object({
  kind: z.literal("room"),
  id: archivedId,
  soul_id: archivedId,
  session_token: roomName.session_token,
  title: shortText.nullable(),
  summary: z.string().max(10_000).nullable(),
  summarised_to: archivedId,
  active_id: archivedId.nullable(),
  created_at: archivedTime,
  updated_at: archivedTime,
});

const message = z.object({
  kind: z.literal("line"),
  id: archivedId,
  prev_id: archivedId,
  parent_id: archivedId.nullable(),
  role: z.enum(["user", "assistant"]),
  is_mine: z.boolean(),
  sender_name: shortText,
  content: z.string().max(1_000_000),
  audience: z.enum(["room", "people"]),
  created_at: archivedTime,
  edited_at: archivedTime.nullable(),
  edited_by: shortText.nullable(),
  removed: z.boolean(),
  made_by: madeBy.omit({ edited_by: true }).extend({ model: shortText }).nullable(),
});

export const roomLine = z.discriminatedUnion("kind", [roomHead, message]);
export type RoomHead = z.output<typeof roomHead>;
export type ArchivedMessage = z.output<typeof message>;

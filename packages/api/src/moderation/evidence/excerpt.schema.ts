import { z } from "zod";
import { field, id, utcTime } from "../../fields.schema.ts";
import { versionNumber } from "../../souls/version/version.schema.ts";

const line = z.object({
  id: field(id, 411),
  role: field(z.enum(["user", "assistant"]), "user"),
  sender_name: field(z.string(), "ada"),
  content: field(z.string(), "What do you think of tabs?"),
  created_at: utcTime,
  edited_at: utcTime.optional().describe("Absent if the message was never edited."),
  edited_by: field(z.string().optional(), "ben", "Name of the person who rewrote a reply."),
  audience: field(z.literal("people").optional(), "people", "Only of a message off the record."),
  other_branch: field(z.literal(true).optional(), true, "The room's path left the message out."),
});
line.register(z.globalRegistry, { id: "ExcerptLine" });
export type ExcerptLine = z.infer<typeof line>;

/** The text that staff read of a target, as it was when it was reported (0062). */
export const excerpt = z.object({
  title: field(z.string().optional(), "The Patient Reviewer"),
  description: field(z.string().optional(), "Reads each line twice."),
  content: field(z.string().optional(), "You review code."),
  version: versionNumber.optional(),
  username: field(z.string().optional(), "ada"),
  lines: z
    .array(line)
    .optional()
    .describe("The message with at most 5 around it on its path, or the newest 5 of a room."),
});
export type Excerpt = z.infer<typeof excerpt>;

import type { z } from "zod";
import { givenUsername } from "../../accounts/accounts.schema.ts";
import { roomName } from "../../chat/chat.schema.ts";
import { field, id } from "../../fields.schema.ts";
import { targetKind } from "../moderation.schema.ts";

/** The fields that name the target of a report. `kind` decides which of them are needed. */
export const givenTargetFields = {
  kind: targetKind,
  soul_id: field(id.optional(), 7, "For `soul`, `message` and `room`."),
  session_token: roomName.session_token.optional().describe("For `message` and `room`."),
  message_id: field(id.optional(), 411, "For `message`."),
  username: givenUsername.optional().describe("For `person`."),
};

/** The fields that name a target of each kind. Another kind's fields are ignored. */
interface NeededFields {
  soul: { soul_id: number };
  message: { soul_id: number; session_token: string; message_id: number };
  room: { soul_id: number; session_token: string };
  person: { username: string };
}
export type GivenTarget = {
  [Kind in keyof NeededFields]: { kind: Kind } & NeededFields[Kind];
}[keyof NeededFields];

const needed = {
  soul: ["soul_id"],
  message: ["soul_id", "session_token", "message_id"],
  room: ["soul_id", "session_token"],
  person: ["username"],
} as const;

/** Checks that an input names a target completely. The failure is `invalid_input`. */
export function namesTarget(
  given: z.infer<z.ZodObject<typeof givenTargetFields>>,
  { addIssue }: z.RefinementCtx,
): void {
  for (const name of needed[given.kind]) {
    if (given[name] === undefined) {
      addIssue({ code: "custom", path: [name], message: `is required for a ${given.kind}` });
    }
  }
}

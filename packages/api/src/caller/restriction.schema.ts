import { z } from "zod";
import { field, id, utcTime } from "../fields.schema.ts";

/** A suspension or silence of an account: until when, why, and by which decision (0057). */
export const restriction = z.object({
  until: utcTime.nullable().describe("Null until it is lifted."),
  reason: field(z.string(), "spam"),
  decision_id: id.nullable().describe("The decision to appeal against; null for the operator's."),
});
export type Restriction = z.infer<typeof restriction>;

/** The standing of an account, as its owner and the staff read it. */
export const moderation = restriction
  .extend({ state: field(z.enum(["suspended", "silenced"]), "silenced") })
  .nullable()
  .describe("Null for an account in good standing.");

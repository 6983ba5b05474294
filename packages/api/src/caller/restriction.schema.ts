import { z } from "zod";
import { field, id, utcTime } from "../fields.schema.ts";

/** A suspension or silence of an account: until when, why, and by which decision (0057). */
export const restriction = z.object({
  until: utcTime.nullable().describe("Null until it is lifted."),
  reason: field(z.string(), "spam"),
  decision_id: id.nullable().describe("The decision to appeal against; null for the operator's."),
});
export type Restriction = z.infer<typeof restriction>;

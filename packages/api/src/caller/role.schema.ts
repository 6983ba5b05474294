import { z } from "zod";
import { field } from "../fields.schema.ts";

/** The role of an account (0057). Moderators and admins are the hub's staff. */
export const role = field(z.enum(["member", "moderator", "admin"]), "member");
export type Role = z.infer<typeof role>;

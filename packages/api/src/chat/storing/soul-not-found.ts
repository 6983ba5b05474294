import { violatedConstraint } from "../../db/database-errors.ts";
import { HubError } from "../../errors.ts";

/** Translates the foreign key violation that a deleted soul causes into `soul_not_found`. */
export function throwSoulNotFound(error: unknown): never {
  if (violatedConstraint(error) !== "chat_rooms_soul_id_foreign") throw error;
  throw new HubError("soul_not_found", { cause: error });
}

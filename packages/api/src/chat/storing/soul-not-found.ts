import { onViolation } from "../../db/database-errors.ts";

/** Translates the foreign key violation that a deleted soul causes into `soul_not_found`. */
export const throwSoulNotFound = onViolation("chat_rooms_soul_id_foreign", "soul_not_found");

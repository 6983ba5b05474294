import { z } from "zod";
import type { CallContext } from "../../context.ts";
import { callForRow } from "../../db/sql-functions.ts";
import { field } from "../../fields.schema.ts";

/** The part of a sign-in's answer about the guest of its cookie (0077). */
export const guestRooms = {
  guest_rooms: field(
    z.int().min(0).optional(),
    2,
    "With a guest cookie: the conversations of its last 7 days, which `POST /api/claim-guest` moves.",
  ),
};

/** Counts the conversations that the caller could claim; nothing without a valid guest cookie. */
export async function countGuestRooms(ctx: CallContext): Promise<{ guest_rooms?: number }> {
  const of_guest = ctx.guestOfCookie();
  return of_guest === null ? {} : callForRow(ctx.db, "guest_room_count", { of_guest });
}

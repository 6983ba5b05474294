import type { AccountContext } from "../../caller/caller.ts";
import { participantId } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import { applyChange } from "./apply-change.ts";
import { changeRefused } from "./change-refused.ts";
import type { RoomUpdate } from "./changes.schema.ts";
import { chooseSouls } from "./chosen-souls.ts";
import { describeRoom } from "./read-room.service.ts";

/**
 * Changes the settings of the caller's room: PUT /api/room (decisions §5, Rooms). Omitted fields
 * stay. Equal values change nothing.
 * @throws HubError `invalid_input` without a field to set; those of authorizeRoom; `not_owner`;
 *   those of chooseSouls; `room_changed`; `message_not_found`
 */
export async function setRoom(
  ctx: AccountContext,
  { soul_id, session_token, expected_revision, ...given }: RoomUpdate,
) {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  if (fields.length === 0) throw new HubError("invalid_input", { message: "Name a field to set." });
  const name = { soul_id, session_token };
  const { key, record } = await authorizeRoom(ctx, name, ctx.hub.chatRooms);
  const setter = participantId(ctx.caller);
  // A room without messages has no owner.
  if (record?.owner !== setter) throw changeRefused("set_room", "not_owner");
  const settings = {
    ...Object.fromEntries(fields),
    ...(given.souls && { souls: await chooseSouls(ctx, soul_id, given.souls) }),
  };
  await applyChange(ctx, key, {
    run: "set_room",
    args: { setter, expected: expected_revision, settings: JSON.stringify(settings) },
    changesRoom: true,
  });
  return describeRoom(ctx, key, record);
}

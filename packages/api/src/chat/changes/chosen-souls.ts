import { handlesOf } from "@soul-hub/soul-names";
import type { CallContext } from "../../context.ts";
import { HubError, invalidField } from "../../errors.ts";
import { openHistory, readState } from "../../souls/versions/soul-history.ts";
import { mayBeGuest } from "../addressing/guest-souls.ts";
import { MAX_SOULS } from "../chat.schema.ts";
import type { RoomSoul } from "../chat-room.entity.ts";
import { changeRefused } from "./change-refused.ts";
import type { ChosenSoul } from "./changes.schema.ts";

/**
 * Checks the souls that a room's owner has chosen, and gives each its handle. The room's own soul
 * comes first. The others must be public and without an NFT gate.
 * @throws HubError `invalid_input`, `limit_reached`, `soul_not_found`, `soul_not_eligible`,
 *   `version_not_found` if the caller may not read the version
 */
export async function chooseSouls(
  ctx: CallContext,
  hostId: number,
  chosen: readonly ChosenSoul[],
): Promise<RoomSoul[]> {
  const ids = new Set(chosen.map(({ soul_id }) => soul_id));
  if (ids.size < chosen.length) throw invalidField("souls", "must not name a soul twice");
  if (!ids.has(hostId)) throw invalidField("souls", "must contain the room's own soul");
  if (chosen.length > MAX_SOULS) {
    throw new HubError("limit_reached", { message: `A room has at most ${MAX_SOULS} souls.` });
  }
  const host = chosen.filter(({ soul_id }) => soul_id === hostId);
  const guests = chosen.filter(({ soul_id }) => soul_id !== hostId);
  const ordered = [...host, ...guests];
  const titles = await Promise.all(ordered.map((soul) => checkSoul(ctx, hostId, soul)));
  const handles = handlesOf(titles);
  return ordered.map(({ soul_id, version }, nth) => ({
    soul_id,
    handle: handles[nth] ?? "",
    version,
  }));
}

/** @returns the soul's title */
async function checkSoul(
  ctx: CallContext,
  hostId: number,
  { soul_id, version }: ChosenSoul,
): Promise<string> {
  const history = await openHistory(ctx, soul_id);
  const { soul } = history;
  const isGuest = soul_id !== hostId;
  if (isGuest && !mayBeGuest(soul)) throw changeRefused("set_room", "soul_not_eligible");
  if (version !== null && (await readState(history, version)).content_hidden) {
    throw new HubError("version_not_found");
  }
  return soul.title;
}

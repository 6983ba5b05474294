import type { Ask, Outcome } from "./access-matrix.ts";
import type { AccessMatrixWorld } from "./access-matrix-world.ts";

// Parts that many rows of the access matrix share. The actor `owner` owns souls and rooms.

export { NO_ID } from "./no-id.ts";

type SoulName = keyof AccessMatrixWorld["souls"];

/** A soul of the world, by its `id`. */
export const soulId =
  (soul: SoulName, fields: object = {}): Ask =>
  ({ souls }) => ({ id: souls[soul], ...fields });

/** A soul of the world, by its `soul_id`. */
export const ofSoul =
  (soul: SoulName, fields: object = {}): Ask =>
  ({ souls }) => ({ soul_id: souls[soul], ...fields });

/** A room without messages. */
export const inNewRoom =
  (fields: object = {}, soul: SoulName = "public"): Ask =>
  ({ newRoom, souls }) => ({ ...newRoom(souls[soul]), ...fields });

/** A room of the gated soul, while the chain can't be asked. */
export const withoutChain =
  (fields: object = {}): Ask =>
  ({ cutOff, newRoom, souls }) =>
    cutOff({ ...newRoom(souls.gated), ...fields });

/** A room of the public soul, in which the owner has sent a message with the fields `sent`. */
export const inBegunRoom =
  (fields: object = {}, sent: object = {}): Ask =>
  async ({ begunRoom }) => ({ ...(await begunRoom(sent)), ...fields });

/** A room of the public soul, from which the owner has banned the actor `vip`. */
export const inBanningRoom =
  (fields: object = {}): Ask =>
  async ({ banningRoom }) => ({ ...(await banningRoom()), ...fields });

/** A room of the public soul that the owner has deleted. */
export const inDeletedRoom =
  (fields: object = {}): Ask =>
  async ({ begunRoom, people }) => {
    const room = await begunRoom();
    const { soul_id, session_token } = room;
    await people.owner.delete(`/api/room?soul_id=${soul_id}&session_token=${session_token}`);
    return { ...room, ...fields };
  };

/** A room of the public soul, in which only the owner may talk. */
export const inQuietRoom =
  (fields: object): Ask =>
  async ({ begunRoom, people }) => {
    const room = await begunRoom();
    await people.owner.put("/api/room", { ...room, talk: "owner" });
    return { ...room, ...fields };
  };

/** The same outcome for the owner with a key and with a session. */
export const both = <Of extends Outcome>(outcome: Of) => ({
  owner: outcome,
  "owner's page": outcome,
});
export const owners = both("200");
export const ofPrivateSoul = { authorized: "404 soul_not_found", ...owners } as const;
export const ofGatedSoul = { authorized: "403 nft_required", pro: "200", ...owners } as const;
/** The outcomes of what the owner alone may do. */
export const ofOwner = { authorized: "403 not_owner", ...owners } as const;

/** The outcomes in a room of the owner. The owner has blocked one of the callers. */
export const ofRoom = (authorized: Outcome, owner: Outcome = authorized) =>
  ({ authorized, blocked: "403 blocked", owner }) as const;

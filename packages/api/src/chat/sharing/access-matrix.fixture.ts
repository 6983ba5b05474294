import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import { firstMessage, refusals } from "../changes/access-matrix.fixture.ts";

/** Shares a new room of the actor `owner`. */
export async function newShare({ begunRoom, people }: AccessMatrixWorld) {
  const { body } = await people.owner.post("/api/shares", await begunRoom());
  if (!body.success) throw new Error(`The room was not shared: ${body.message}`);
  return { share_id: body.share_id as string };
}

const unknownShare = { share_id: "unknown" };

/** Expected access to shared conversations (0042). */
export const sharingAccess: AccessMatrix = {
  "POST /shares": [
    [
      "a public room",
      ({ begunRoom }) => begunRoom(),
      { authorized: "403 not_owner", blocked: "403 blocked", owner: "200" },
    ],
    ...refusals({}, "403 not_owner", "200"),
    [
      "a message of another room",
      async (world) => ({ ...(await world.begunRoom()), to_id: (await firstMessage(world)).id }),
      { authorized: "403 not_owner", blocked: "403 blocked", owner: "404 message_not_found" },
    ],
    [
      "a 21st share",
      async ({ begunRoom, people }) => {
        const room = await begunRoom();
        for (let n = 0; n < 20; n++) await people.owner.post("/api/shares", room);
        return room;
      },
      { owner: "409 limit_reached" },
    ],
  ],

  "GET /shares": [
    [
      "a public room",
      ({ begunRoom }) => begunRoom(),
      { authorized: "403 not_owner", blocked: "403 blocked", owner: "200" },
    ],
    ...refusals({}, "403 not_owner", "200"),
  ],

  "DELETE /shares": [
    ["a share", newShare, { authorized: "403 not_owner", owner: "200" }],
    ["an unknown share", unknownShare, { authorized: "404 share_not_found" }],
    ["no share", {}, { authorized: "400 invalid_input" }],
  ],

  "GET /share/{share_id}": [
    ["a share", newShare, { authorized: "200" }],
    ["an unknown share", unknownShare, { authorized: "404 share_not_found" }],
  ],
};

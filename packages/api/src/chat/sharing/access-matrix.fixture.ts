import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import { inBegunRoom, ofOwner, ofRoom } from "../../testing/access/requests.ts";
import { refusals } from "../access-matrix.fixture.ts";
import { firstMessage } from "../changes/access-matrix.fixture.ts";

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
    ["a public room", inBegunRoom(), ofRoom("403 not_owner", "200")],
    ...refusals({}, "403 not_owner", "200"),
    [
      "a message of another room",
      async (world) => ({ ...(await world.begunRoom()), to_id: (await firstMessage(world)).id }),
      ofRoom("403 not_owner", "404 message_not_found"),
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
    ["a public room", inBegunRoom(), ofRoom("403 not_owner", "200")],
    ...refusals({}, "403 not_owner", "200"),
  ],
  "DELETE /shares": [
    ["a share", newShare, ofOwner],
    ["an unknown share", unknownShare, "404 share_not_found"],
  ],
  "GET /share/{share_id}": [
    ["a share", newShare, "200"],
    ["an unknown share", unknownShare, "404 share_not_found"],
  ],
};

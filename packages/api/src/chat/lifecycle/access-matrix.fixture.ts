import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import { inBegunRoom, inNewRoom, ofRoom, owners } from "../../testing/access/requests.ts";
import { refusals } from "../access-matrix.fixture.ts";
import { newShare } from "../sharing/access-matrix.fixture.ts";

/** Expected access to the endpoints that delete and copy rooms (0042). */
export const lifecycleAccess: AccessMatrix = {
  "DELETE /room": [
    ["a public room", inBegunRoom(), { ...ofRoom("403 not_owner"), ...owners }],
    ["a room without messages", inNewRoom(), "200"],
    ...refusals({}, "200"),
  ],
  "POST /room-copy": [
    ...refusals({ new_session_token: "copy" }, "404 message_not_found", "200"),
    [
      "a public room",
      async ({ begunRoom, newRoom }) => ({
        ...(await begunRoom()),
        new_session_token: newRoom().session_token,
      }),
      ofRoom("200"),
    ],
    [
      "a share",
      async (world) => ({
        ...(await newShare(world)),
        new_session_token: world.newRoom().session_token,
      }),
      "200",
    ],
    ["an unknown share", { share_id: "unknown", new_session_token: "copy" }, "404 share_not_found"],
    [
      "a room that exists",
      async ({ begunRoom }) => {
        const room = await begunRoom();
        return { ...room, new_session_token: room.session_token };
      },
      ofRoom("409 room_changed"),
    ],
  ],
};

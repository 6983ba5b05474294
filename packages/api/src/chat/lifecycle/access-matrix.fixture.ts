import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import { refusals } from "../changes/access-matrix.fixture.ts";
import { newShare } from "../sharing/access-matrix.fixture.ts";

const owners = { owner: "200", "owner's page": "200" } as const;

/** Expected access to the endpoints that delete and copy rooms (0042). */
export const lifecycleAccess: AccessMatrix = {
  "DELETE /room": [
    [
      "a public room",
      ({ begunRoom }) => begunRoom(),
      { authorized: "403 not_owner", blocked: "403 blocked", ...owners },
    ],
    [
      "a private room",
      ({ begunRoom }) => begunRoom({ is_private: true }),
      { authorized: "403 private_session", blocked: "403 blocked", ...owners },
    ],
    [
      "a room from which its owner has banned the caller",
      ({ banningRoom }) => banningRoom(),
      { vip: "403 banned" },
    ],
    ["a room without messages", ({ newRoom }) => newRoom(), { authorized: "200" }],
    [
      "a room of a private soul",
      ({ newRoom, souls }) => newRoom(souls.private),
      { authorized: "404 soul_not_found", ...owners },
    ],
    [
      "a room of a gated soul",
      ({ newRoom, souls }) => newRoom(souls.gated),
      { authorized: "403 nft_required", pro: "200", ...owners },
    ],
    [
      "a room of a gated soul, and a chain that can't be asked",
      ({ cutOff, newRoom, souls }) => {
        cutOff();
        return newRoom(souls.gated);
      },
      { vip: "503 chain_unavailable", owner: "200" },
      { after: (world) => world.reconnect() },
    ],
    ["no room", {}, { authorized: "400 invalid_input" }],
  ],

  "POST /room-copy": [
    ...refusals({ new_session_token: "copy" }, "404 message_not_found", "200"),
    [
      "a public room",
      async ({ begunRoom, newRoom }) => ({
        ...(await begunRoom()),
        new_session_token: newRoom().session_token,
      }),
      { authorized: "200", blocked: "403 blocked" },
    ],
    [
      "a share",
      async (world) => ({
        ...(await newShare(world)),
        new_session_token: world.newRoom().session_token,
      }),
      { authorized: "200" },
    ],
    [
      "an unknown share",
      { share_id: "unknown", new_session_token: "copy" },
      { authorized: "404 share_not_found" },
    ],
    [
      "a room that exists",
      async ({ begunRoom }) => {
        const room = await begunRoom();
        return { ...room, new_session_token: room.session_token };
      },
      { authorized: "409 room_changed", blocked: "403 blocked" },
    ],
  ],
};

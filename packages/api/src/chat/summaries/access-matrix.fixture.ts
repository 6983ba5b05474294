import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import { ofRoom } from "../../testing/access/requests.ts";
import { refusals } from "../access-matrix.fixture.ts";

/** A room of the actor `owner` whose summary has the version 1. */
async function rememberingRoom({ begunRoom, people }: AccessMatrixWorld) {
  const room = await begunRoom();
  await people.owner.put("/api/my-chats", { ...room, summary: "Ada likes tabs." });
  return room;
}

/** Expected access to the versions of a room's summary (decisions §5, Memory). */
export const summaryAccess: AccessMatrix = {
  "GET /room-summary": [
    ["a public room", rememberingRoom, ofRoom("403 not_owner", "200")],
    ...refusals({}, "403 not_owner", "200"),
  ],
  "POST /room-summary": [
    ...refusals({ version: 1 }, "403 not_owner", "404 version_not_found"),
    [
      "a version of the summary",
      async (world) => ({ ...(await rememberingRoom(world)), version: 1 }),
      ofRoom("403 not_owner", "200"),
    ],
    [
      "another current version than was read",
      async (world) => ({ ...(await rememberingRoom(world)), version: 1, expected: 2 }),
      ofRoom("403 not_owner", "409 summary_changed"),
    ],
    ["no version", async (world) => ({ ...(await rememberingRoom(world)) }), "400 invalid_input"],
  ],
};

import type { Row } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import { inNewRoom, ofRoom } from "../../testing/access/requests.ts";
import { history, type RoomName, say } from "../../testing/chat-hub.ts";

/** A room of the actor `owner`, with the fields that ask for another reply to its first question. */
async function askAgain({ begunRoom, people }: AccessMatrixWorld) {
  const room = await begunRoom();
  return { room, regenerate: await firstQuestion(people.owner, room) };
}

const firstQuestion = async (
  owner: AccessMatrixWorld["people"]["owner"],
  room: RoomName,
): Promise<number> => (await history(owner, room)).body.messages[0].id;

/** A room whose pinned version its author, the actor `owner`, has hidden. */
async function roomOfHiddenVersion({ people, publish, newRoom }: AccessMatrixWorld) {
  const { owner } = people;
  const soul_id = await publish();
  const room = newRoom(soul_id);
  await say(owner, room, "Come in.");
  await owner.put(`/api/soul/${soul_id}`, { content: "I keep the lamp." });
  await owner.put("/api/room", { ...room, souls: [{ soul_id, version: 1 }] });
  await owner.put("/api/version", { soul_id, number: 1, is_hidden: true });
  return { ...room, content: "Who are you?" };
}

/** Cases of POST /api/chat: places in the room's tree, and versions of the soul (0038). */
export const branching: Row[] = [
  [
    "another reply to somebody's question",
    async (world) => {
      const { room, regenerate } = await askAgain(world);
      return { ...room, regenerate };
    },
    ofRoom("403 not_owner", "200"),
  ],
  [
    "another reply to a question of another room",
    async (world) => {
      const { regenerate } = await askAgain(world);
      return { ...(await world.begunRoom()), regenerate };
    },
    ofRoom("404 message_not_found"),
  ],
  [
    "the 21st reply to a question",
    async (world) => {
      const { room, regenerate } = await askAgain(world);
      // The model of the access matrix may time out on a busy machine. Such a call stores nothing.
      for (let stored = 0; stored < 19; ) {
        const { status } = await say(world.people.owner, room, "", { regenerate });
        if (status === 200) stored++;
      }
      return { ...room, regenerate };
    },
    { owner: "409 limit_reached" },
  ],
  [
    "a version that does not exist",
    inNewRoom({ content: "Hello.", version: 1_000 }),
    "404 version_not_found",
  ],
  ["a hidden pinned version", roomOfHiddenVersion, { vip: "409 version_withdrawn", owner: "200" }],
];

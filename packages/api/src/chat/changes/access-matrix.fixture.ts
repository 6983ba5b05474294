import type { AccessMatrix, Ask } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import type { CallerKind } from "../../testing/access/caller-kinds.ts";
import { inBegunRoom, ofRoom } from "../../testing/access/requests.ts";
import { history, say } from "../../testing/chat-hub.ts";
import { entering, refusals } from "../access-matrix.fixture.ts";

const EMOJIS = ["😀", "😁", "😂", "🤣", "😃", "😄", "😅", "😆", "😉", "😊", "😋", "😎"];

/** The first message of a new room of the actor `owner`. */
export async function firstMessage({ begunRoom, people }: AccessMatrixWorld) {
  const room = await begunRoom();
  const { body } = await history(people.owner, room);
  return { ...room, id: body.messages[0].id as number };
}

/** The first message of a new room, which the caller has sent where it may. */
async function ownMessage({ newRoom, people }: AccessMatrixWorld, who: CallerKind) {
  const room = newRoom();
  const { body } = await say(people[who], room, "Come in.");
  return { ...room, id: (body.question_id ?? 1) as number };
}

/** The first message of a new room of the actor `owner`, with the fields of the request. */
const onMessage =
  (fields: object): Ask =>
  async (world) => ({ ...(await firstMessage(world)), ...fields });

/** The same in a room in which only the owner may talk. */
const onQuietMessage =
  (fields: object): Ask =>
  async (world) => {
    const message = await firstMessage(world);
    await world.people.owner.put("/api/room", { ...message, talk: "owner" });
    return { ...message, ...fields };
  };

const unknownMessage = { id: 2 ** 53 - 1 };

/** Expected access to the endpoints that change stored messages and rooms (decisions §5). */
export const changesAccess: AccessMatrix = {
  "GET /room": entering(),
  "PUT /room": [
    ["a public room", inBegunRoom({ title: "Tabs" }), ofRoom("403 not_owner", "200")],
    ...refusals({ title: "Tabs" }, "403 not_owner", "200"),
    ["no field to set", inBegunRoom({ expected_revision: 0 }), "400 invalid_input"],
    [
      "another revision than the room's",
      inBegunRoom({ title: "Tabs", expected_revision: 7 }),
      ofRoom("403 not_owner", "409 room_changed"),
    ],
    [
      "a path to a message of another room",
      async (world) => ({
        ...(await world.begunRoom()),
        active_id: (await firstMessage(world)).id,
      }),
      ofRoom("403 not_owner", "404 message_not_found"),
    ],
    [
      "a version that the soul does not have",
      async ({ begunRoom, souls }) => ({
        ...(await begunRoom()),
        souls: [{ soul_id: souls.public, version: 99 }],
      }),
      { owner: "404 version_not_found" },
    ],
    [
      "a gated soul as a guest",
      async ({ begunRoom, souls }) => ({
        ...(await begunRoom()),
        souls: [{ soul_id: souls.public }, { soul_id: souls.gated }],
      }),
      { owner: "400 soul_not_eligible" },
    ],
    [
      "a fifth soul",
      async ({ begunRoom, souls, publish }) => {
        const guests = [await publish(), await publish(), await publish(), await publish()];
        const ids = [souls.public, ...guests];
        return { ...(await begunRoom()), souls: ids.map((soul_id) => ({ soul_id })) };
      },
      { owner: "409 limit_reached" },
    ],
  ],
  "PUT /message": [
    ...refusals({ ...unknownMessage, content: "No." }, "404 message_not_found"),
    [
      "the caller's own message",
      async (world, who) => ({ ...(await ownMessage(world, who)), content: "Go away." }),
      "200",
    ],
    ["somebody else's message", onMessage({ content: "Go away." }), ofRoom("403 not_owner", "200")],
    [
      "a room in which only its owner may talk",
      onQuietMessage({ content: "Go away." }),
      ofRoom("403 muted", "200"),
    ],
    [
      "another text than the message's",
      onMessage({ content: "Go away.", expected: "Stay." }),
      ofRoom("403 not_owner", "409 room_changed"),
    ],
    [
      "8,001 characters",
      onMessage({ content: "x".repeat(8_001) }),
      { vip: "400 input_too_long", pro: "403 not_owner", owner: "200" },
    ],
    ["white space", onMessage({ content: " " }), "400 invalid_input"],
  ],
  "DELETE /message": [
    ...refusals(unknownMessage, "404 message_not_found"),
    ["the caller's own message", ownMessage, { vip: "200", pro: "200", owner: "200" }],
    ["somebody else's message", firstMessage, ofRoom("403 not_owner", "200")],
  ],
  "PUT /reaction": [
    ...refusals({ ...unknownMessage, emoji: "👍", on: true }, "404 message_not_found"),
    ["a thumb", onMessage({ emoji: "👍", on: true }), ofRoom("200")],
    ["a word", onMessage({ emoji: "yes", on: true }), "400 invalid_input"],
    [
      "a room in which only its owner may talk",
      onQuietMessage({ emoji: "👍", on: true }),
      ofRoom("403 muted", "200"),
    ],
    [
      "a 13th emoji",
      async (world) => {
        const message = await firstMessage(world);
        for (const emoji of EMOJIS) {
          await world.people.owner.put("/api/reaction", { ...message, emoji, on: true });
        }
        return { ...message, emoji: "👍", on: true };
      },
      { vip: "409 limit_reached", owner: "409 limit_reached" },
    ],
  ],
  "POST /chat-cancel": [["an unknown reply", { reply_id: "none" }, "200"]],
};

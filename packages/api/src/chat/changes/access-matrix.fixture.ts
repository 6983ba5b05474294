import type { AccessMatrix, Outcome, Row } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import type { CallerKind } from "../../testing/access/caller-kinds.ts";
import { history, type RoomName, say } from "../../testing/chat-hub.ts";
import { entering } from "../access-matrix.fixture.ts";

const EMOJIS = ["😀", "😁", "😂", "🤣", "😃", "😄", "😅", "😆", "😉", "😊", "😋", "😎"];

/**
 * Rooms that refuse callers, with `fields`. `admitted` is the outcome of a caller whom the room
 * admits, `owning` that of the owner of a room with messages.
 */
export function refusals(fields: object, admitted: Outcome, owning = admitted): Row[] {
  return [
    [
      "a private room",
      async ({ begunRoom }) => ({ ...(await begunRoom({ is_private: true })), ...fields }),
      { authorized: "403 private_session", blocked: "403 blocked", owner: owning },
    ],
    [
      "a room from which its owner has banned the caller",
      async ({ banningRoom }) => ({ ...(await banningRoom()), ...fields }),
      { vip: "403 banned" },
    ],
    [
      "a room of a private soul",
      ({ newRoom, souls }) => ({ ...newRoom(souls.private), ...fields }),
      { authorized: "404 soul_not_found", owner: admitted },
    ],
    [
      "a room of a gated soul",
      ({ newRoom, souls }) => ({ ...newRoom(souls.gated), ...fields }),
      { authorized: "403 nft_required", pro: admitted, owner: admitted },
    ],
    [
      "a room of a gated soul, and a chain that can't be asked",
      ({ cutOff, newRoom, souls }) => {
        cutOff();
        return { ...newRoom(souls.gated), ...fields };
      },
      { vip: "503 chain_unavailable", owner: admitted },
      { after: (world) => world.reconnect() },
    ],
    ["no room", fields as Record<string, unknown>, { authorized: "400 invalid_input" }],
  ];
}

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

const on = async (world: AccessMatrixWorld, fields: object) => ({
  ...(await firstMessage(world)),
  ...fields,
});

const setUp = async ({ people }: AccessMatrixWorld, room: RoomName, settings: object) => {
  const { body } = await people.owner.put("/api/room", { ...room, ...settings });
  if (!body.success) throw new Error(`The room was not set: ${body.message}`);
};

const unknownMessage = { id: 2 ** 53 - 1 };

/** Expected access to the endpoints that change stored messages and rooms (decisions §5). */
export const changesAccess: AccessMatrix = {
  "GET /room": entering(),

  "PUT /room": [
    [
      "a public room",
      async ({ begunRoom }) => ({ ...(await begunRoom()), title: "Tabs" }),
      { authorized: "403 not_owner", blocked: "403 blocked", owner: "200" },
    ],
    ...refusals({ title: "Tabs" }, "403 not_owner", "200"),
    [
      "no field to set",
      async ({ begunRoom }) => ({ ...(await begunRoom()), expected_revision: 0 }),
      { authorized: "400 invalid_input" },
    ],
    [
      "another revision than the room's",
      async ({ begunRoom }) => ({ ...(await begunRoom()), title: "Tabs", expected_revision: 7 }),
      { authorized: "403 not_owner", blocked: "403 blocked", owner: "409 room_changed" },
    ],
    [
      "a path to a message of another room",
      async (world) => ({
        ...(await world.begunRoom()),
        active_id: (await firstMessage(world)).id,
      }),
      { authorized: "403 not_owner", blocked: "403 blocked", owner: "404 message_not_found" },
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
      { authorized: "200" },
    ],
    [
      "somebody else's message",
      (world) => on(world, { content: "Go away." }),
      { authorized: "403 not_owner", blocked: "403 blocked", owner: "200" },
    ],
    [
      "a room in which only its owner may talk",
      async (world) => {
        const message = await firstMessage(world);
        await setUp(world, message, { talk: "owner" });
        return { ...message, content: "Go away." };
      },
      { authorized: "403 muted", blocked: "403 blocked", owner: "200" },
    ],
    [
      "another text than the message's",
      (world) => on(world, { content: "Go away.", expected: "Stay." }),
      { authorized: "403 not_owner", blocked: "403 blocked", owner: "409 room_changed" },
    ],
    [
      "8,001 characters",
      (world) => on(world, { content: "x".repeat(8_001) }),
      { vip: "400 input_too_long", pro: "403 not_owner", owner: "200" },
    ],
    ["white space", (world) => on(world, { content: " " }), { authorized: "400 invalid_input" }],
  ],

  "DELETE /message": [
    ...refusals(unknownMessage, "404 message_not_found"),
    ["the caller's own message", ownMessage, { vip: "200", pro: "200", owner: "200" }],
    [
      "somebody else's message",
      firstMessage,
      { authorized: "403 not_owner", blocked: "403 blocked", owner: "200" },
    ],
  ],

  "PUT /reaction": [
    ...refusals({ ...unknownMessage, emoji: "👍", on: true }, "404 message_not_found"),
    [
      "a thumb",
      (world) => on(world, { emoji: "👍", on: true }),
      { authorized: "200", blocked: "403 blocked" },
    ],
    [
      "a word",
      (world) => on(world, { emoji: "yes", on: true }),
      { authorized: "400 invalid_input" },
    ],
    [
      "a room in which only its owner may talk",
      async (world) => {
        const message = await firstMessage(world);
        await setUp(world, message, { talk: "owner" });
        return { ...message, emoji: "👍", on: true };
      },
      { authorized: "403 muted", blocked: "403 blocked", owner: "200" },
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

  "POST /chat-cancel": [
    ["an unknown reply", { reply_id: "none" }, { authorized: "200" }],
    ["no reply", {}, { authorized: "400 invalid_input" }],
  ],
};

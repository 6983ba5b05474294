import { firstMessage } from "../chat/changes/access-matrix.fixture.ts";
import type { AccessMatrix, Row } from "../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../testing/access/access-matrix-world.ts";
import {
  inBanningRoom,
  inBegunRoom,
  inDeletedRoom,
  inNewRoom,
  NO_ID,
  ofPrivateSoul,
  ofRoom,
  ofSoul,
  owners,
} from "../testing/access/requests.ts";

const message_to_author = "Please take the address out.";

/** The cases of naming a target, for reports and for the staff who open a case. */
const naming = (fields: object): Row[] => {
  const soul = { ...fields, kind: "soul" };
  const message = { ...fields, kind: "message" };
  const room = { ...fields, kind: "room" };
  const person = { ...fields, kind: "person" };
  return [
    ["a public soul", async ({ publish }) => ({ ...soul, soul_id: await publish() }), "200"],
    ["a private soul", ofSoul("private", soul), ofPrivateSoul],
    [
      "a gated soul, and a chain that can't be asked",
      ({ cutOff, souls }) => cutOff({ ...soul, soul_id: souls.gated }),
      // Staff have no wallet here, so the chain is not asked.
      { vip: "503 chain_unavailable" },
    ],
    [
      "a message",
      async (world) => ({ ...message, ...named(await firstMessage(world)) }),
      ofRoom("200"),
    ],
    [
      "an unknown message",
      inBegunRoom({ ...message, message_id: NO_ID }),
      ofRoom("404 message_not_found"),
    ],
    [
      "a private room",
      inBegunRoom(room, { is_private: true }),
      { ...ofRoom("403 private_session"), ...owners },
    ],
    [
      "a deleted room",
      inDeletedRoom(room),
      { vip: "404 room_not_found", moderator: "404 room_not_found" },
    ],
    [
      "a room of a gated soul",
      inNewRoom(room, "gated"),
      { vip: "403 nft_required", moderator: "403 nft_required" },
    ],
    ["a person", { ...person, username: "vic" }, "200"],
    ["an unknown person", { ...person, username: "nobody-here" }, "404 user_not_found"],
    ["no target", soul, "400 invalid_input"],
  ];
};

const named = ({ id, ...room }: { id: number; soul_id: number; session_token: string }) => ({
  ...room,
  message_id: id,
});

/** Opens a case of a new target as the admin of the staff. */
async function openCase({ people }: AccessMatrixWorld, target: object) {
  const { body } = await people.adminStaff.post("/api/mod/cases", target);
  if (!body.success) throw new Error(`The case was not opened: ${body.message}`);
  return { id: body.id as number, revision: body.revision as number };
}

const openSoulCase = async (world: AccessMatrixWorld) =>
  openCase(world, { kind: "soul", soul_id: await world.publish() });

/** Warns the owner of a soul as the admin of the staff. */
async function warnOwner(world: AccessMatrixWorld) {
  const { id, revision } = await openSoulCase(world);
  const decision = { revision, action: "warn", message_to_author };
  const { body } = await world.people.adminStaff.post(`/api/mod/cases/${id}/act`, decision);
  return { id, revision: revision + 1, decision_id: body.decision_id as number };
}

const appealAgainst = ({ decision_id }: { decision_id: number }) => ({
  decision_id,
  text: "It is mine.",
});

/** Warns the owner and lets the owner appeal. */
async function appealed(world: AccessMatrixWorld) {
  const warned = await warnOwner(world);
  const appeal = appealAgainst(warned);
  await world.people.owner.post("/api/appeals", appeal);
  return { id: warned.id, revision: warned.revision + 1, appeal };
}

/** An act with a message. */
const acting = async (opened: Promise<object>, action: string) => ({
  ...(await opened),
  action,
  message_to_author,
});

/** Expected access to the endpoints of moderation (0062). */
export const moderationAccess: AccessMatrix = {
  "POST /reports": [
    ...naming({ reason: "spam" }),
    [
      "a room from which its owner has banned the caller",
      inBanningRoom({ reason: "spam", kind: "room" }),
      { vip: "403 banned" },
    ],
  ],
  "GET /reports": [
    ["at any time", {}, "200"],
    ["too long a page", { limit: 101 }, "400 invalid_input"],
  ],
  "GET /mod/cases": [
    ["open ones", {}, "200"],
    ["an unknown state", { state: "lost" }, "400 invalid_input"],
  ],
  "GET /mod/cases/{id}": [
    ["a case", openSoulCase, "200"],
    ["an unknown case", { id: NO_ID }, "404 case_not_found"],
    ["no number", { id: "first" }, "400 invalid_input"],
  ],
  "POST /mod/cases": [
    ...naming({}),
    [
      "a room from which its owner has banned the caller",
      async (world) => {
        const room = await world.begunRoom();
        const username = world.people.moderator.name;
        await world.people.owner.put("/api/room-people", { ...room, username, state: "banned" });
        return { kind: "room", ...room };
      },
      { moderator: "403 banned" },
    ],
  ],
  "POST /mod/cases/{id}/act": [
    ["a case", (world) => acting(openSoulCase(world), "warn"), "200"],
    [
      "another revision",
      async (world) => ({ ...(await acting(openSoulCase(world), "warn")), revision: 7 }),
      "409 case_changed",
    ],
    [
      "an unknown case",
      { id: NO_ID, revision: 1, action: "warn", message_to_author },
      "404 case_not_found",
    ],
    [
      "a case about staff",
      (world) => acting(openCase(world, { kind: "person", username: "mod" }), "warn"),
      { moderator: "403 not_owner", adminStaff: "200" },
    ],
    [
      "a message in a case of a soul",
      (world) => acting(openSoulCase(world), "remove_message"),
      "404 message_not_found",
    ],
    [
      "an appeal against the caller's own decision",
      async (world) => ({ ...(await appealed(world)), appeal: undefined, action: "dismiss" }),
      { adminStaff: "403 own_decision", moderator: "200" },
    ],
    [
      "no message",
      async (world) => ({ ...(await openSoulCase(world)), action: "warn" }),
      "400 invalid_input",
    ],
  ],
  "GET /mod/people": [
    ["staff and restricted people", {}, "200"],
    ["too long a username", { username: "x".repeat(255) }, "400 invalid_input"],
  ],
  "PUT /notices": [
    ["a decision", async (world) => ({ seen_to: (await warnOwner(world)).decision_id }), "200"],
    ["no number", { seen_to: "all" }, "400 invalid_input"],
  ],
  "POST /appeals": [
    [
      "a decision about the owner",
      async (world) => appealAgainst(await warnOwner(world)),
      { authorized: "404 case_not_found", ...owners },
    ],
    [
      "a decision that was appealed against",
      async (world) => (await appealed(world)).appeal,
      { owner: "409 already_appealed" },
    ],
    ["no text", { decision_id: 1, text: " " }, "400 invalid_input"],
  ],
  "POST /admin/hide": [
    ["a soul", async ({ publish }) => ({ soul_id: await publish() }), "200"],
    ["an unknown soul", { soul_id: NO_ID }, "404 soul_not_found"],
    [
      "a soul that nobody hides",
      async ({ publish }) => ({ soul_id: await publish(), hidden: false }),
      "404 case_not_found",
    ],
  ],
  "POST /admin/suspend": [
    [
      "an account",
      async ({ member, newName }) => ({ username: (await member(newName())).name }),
      { operator: "200" },
    ],
    ["an unknown account", { username: "nobody-here" }, "404 user_not_found"],
    [
      "an account that nobody suspends",
      { username: "vic", suspended: false },
      "404 case_not_found",
    ],
  ],
};

import { firstMessage } from "../chat/changes/access-matrix.fixture.ts";
import type { AccessMatrix, Row } from "../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../testing/access/access-matrix-world.ts";

const NO_ID = 2 ** 53 - 1;
const message_to_author = "Please take the address out.";

/** The cases of naming a target, for reports and for the staff who open a case. */
const naming = (fields: object): Row[] => [
  [
    "a public soul",
    async ({ publish }) => ({ ...fields, kind: "soul", soul_id: await publish() }),
    { authorized: "200" },
  ],
  [
    "a private soul",
    ({ souls }) => ({ ...fields, kind: "soul", soul_id: souls.private }),
    { authorized: "404 soul_not_found", owner: "200", "owner's page": "200" },
  ],
  [
    "a gated soul, and a chain that can't be asked",
    ({ cutOff, souls }) => {
      cutOff();
      return { ...fields, kind: "soul", soul_id: souls.gated };
    },
    // Staff have no wallet here, so the chain is not asked.
    { vip: "503 chain_unavailable" },
    { after: (world) => world.reconnect() },
  ],
  [
    "a message",
    async (world) => ({ ...fields, kind: "message", ...named(await firstMessage(world)) }),
    { authorized: "200", blocked: "403 blocked" },
  ],
  [
    "an unknown message",
    async ({ begunRoom }) => ({
      ...fields,
      kind: "message",
      ...(await begunRoom()),
      message_id: NO_ID,
    }),
    { authorized: "404 message_not_found", blocked: "403 blocked" },
  ],
  [
    "a private room",
    async ({ begunRoom }) => ({
      ...fields,
      kind: "room",
      ...(await begunRoom({ is_private: true })),
    }),
    {
      authorized: "403 private_session",
      blocked: "403 blocked",
      owner: "200",
      "owner's page": "200",
    },
  ],
  [
    "a room of a gated soul",
    ({ newRoom, souls }) => ({ ...fields, kind: "room", ...newRoom(souls.gated) }),
    { vip: "403 nft_required", moderator: "403 nft_required" },
  ],
  ["a person", { ...fields, kind: "person", username: "vic" }, { authorized: "200" }],
  [
    "an unknown person",
    { ...fields, kind: "person", username: "nobody-here" },
    { authorized: "404 user_not_found" },
  ],
  ["no target", { ...fields, kind: "soul" }, { authorized: "400 invalid_input" }],
];

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

/** Warns the owner and lets the owner appeal. */
async function appealed(world: AccessMatrixWorld) {
  const { id, revision, decision_id } = await warnOwner(world);
  const appeal = { decision_id, text: "It is mine." };
  await world.people.owner.post("/api/appeals", appeal);
  return { id, revision: revision + 1, appeal };
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
      async ({ banningRoom }) => ({ reason: "spam", kind: "room", ...(await banningRoom()) }),
      { vip: "403 banned" },
    ],
  ],
  "GET /reports": [
    ["at any time", {}, { authorized: "200" }],
    ["too long a page", { limit: 101 }, { authorized: "400 invalid_input" }],
  ],
  "GET /mod/cases": [
    ["open ones", {}, { authorized: "200" }],
    ["an unknown state", { state: "lost" }, { authorized: "400 invalid_input" }],
  ],
  "GET /mod/cases/{id}": [
    ["a case", openSoulCase, { authorized: "200" }],
    ["an unknown case", { id: NO_ID }, { authorized: "404 case_not_found" }],
    ["no number", { id: "first" }, { authorized: "400 invalid_input" }],
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
    ["a case", (world) => acting(openSoulCase(world), "warn"), { authorized: "200" }],
    [
      "another revision",
      async (world) => ({ ...(await acting(openSoulCase(world), "warn")), revision: 7 }),
      { authorized: "409 case_changed" },
    ],
    [
      "an unknown case",
      { id: NO_ID, revision: 1, action: "warn", message_to_author },
      { authorized: "404 case_not_found" },
    ],
    [
      "a case about staff",
      (world) => acting(openCase(world, { kind: "person", username: "mod" }), "warn"),
      { moderator: "403 not_owner", adminStaff: "200" },
    ],
    [
      "a message in a case of a soul",
      (world) => acting(openSoulCase(world), "remove_message"),
      { authorized: "404 message_not_found" },
    ],
    [
      "an appeal against the caller's own decision",
      async (world) => {
        const { id, revision } = await appealed(world);
        return { id, revision, action: "dismiss" };
      },
      { adminStaff: "403 own_decision", moderator: "200" },
    ],
    [
      "no message",
      async (world) => ({ ...(await openSoulCase(world)), action: "warn" }),
      { authorized: "400 invalid_input" },
    ],
  ],
  "GET /mod/people": [
    ["staff and restricted people", {}, { authorized: "200" }],
    ["too long a username", { username: "x".repeat(255) }, { authorized: "400 invalid_input" }],
  ],
  "GET /notices": [["at any time", {}, { authorized: "200" }]],
  "POST /appeals": [
    [
      "a decision about the owner",
      async (world) => {
        const { decision_id } = await warnOwner(world);
        return { decision_id, text: "It is mine." };
      },
      { authorized: "404 case_not_found", owner: "200", "owner's page": "200" },
    ],
    [
      "a decision that was appealed against",
      async (world) => (await appealed(world)).appeal,
      { owner: "409 already_appealed" },
    ],
    ["no text", { decision_id: 1, text: " " }, { authorized: "400 invalid_input" }],
  ],
  "POST /admin/hide": [
    ["a soul", async ({ publish }) => ({ soul_id: await publish() }), { authorized: "200" }],
    ["an unknown soul", { soul_id: NO_ID }, { authorized: "404 soul_not_found" }],
    [
      "a soul that nobody hides",
      async ({ publish }) => ({ soul_id: await publish(), hidden: false }),
      { authorized: "404 case_not_found" },
    ],
    ["no soul", {}, { authorized: "400 invalid_input" }],
  ],
  "POST /admin/suspend": [
    [
      "an account",
      async ({ member }) => ({
        username: (await member(`s-${crypto.randomUUID().slice(0, 8)}`)).name,
      }),
      { operator: "200" },
    ],
    ["an unknown account", { username: "nobody-here" }, { authorized: "404 user_not_found" }],
    [
      "an account that nobody suspends",
      { username: "vic", suspended: false },
      { authorized: "404 case_not_found" },
    ],
    ["no account", {}, { authorized: "400 invalid_input" }],
  ],
};

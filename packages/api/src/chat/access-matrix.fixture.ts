import type { AccessMatrix, Row } from "../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../testing/access/access-matrix-world.ts";
import type { CallerKind } from "../testing/access/caller-kinds.ts";
import { eventually } from "../testing/eventually.ts";
import { joinAs } from "../testing/live-visitor.ts";
import { branching } from "./tree/branch-cases.fixture.ts";

/** The smallest valid GIF image, as a data URI. */
export const GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

const said =
  (fields: object = {}) =>
  ({ newRoom }: AccessMatrixWorld) => ({
    ...newRoom(),
    content: "Hello.",
    ...fields,
  });

/**
 * Test cases of entering a room: each kind of room, with the expected result per kind of caller.
 */
export function entering(
  fields: object = {},
  prepare: (world: AccessMatrixWorld, who: CallerKind) => unknown = () => undefined,
): Row[] {
  const room =
    (find: (world: AccessMatrixWorld) => object | Promise<object>): Row[1] =>
    async (world, who) => {
      await prepare(world, who);
      return { ...(await find(world)), ...fields };
    };
  const owners = { owner: "200", "owner's page": "200" } as const;
  return [
    ["a room without messages", room(({ newRoom }) => newRoom()), { authorized: "200" }],
    [
      "a public room",
      room(({ begunRoom }) => begunRoom()),
      { authorized: "200", blocked: "403 blocked" },
    ],
    [
      "a private room",
      room(({ begunRoom }) => begunRoom({ is_private: true })),
      { authorized: "403 private_session", blocked: "403 blocked", ...owners },
    ],
    [
      "a room from which its owner has banned the caller",
      room(({ banningRoom }) => banningRoom()),
      { vip: "403 banned", pro: "200", owner: "200" },
    ],
    [
      "a room of a private soul",
      room(({ newRoom, souls }) => newRoom(souls.private)),
      { authorized: "404 soul_not_found", ...owners },
    ],
    [
      "a room of no such soul",
      room(({ newRoom, souls }) => newRoom(souls.none)),
      { authorized: "404 soul_not_found" },
    ],
    [
      "a room of a gated soul",
      room(({ newRoom, souls }) => newRoom(souls.gated)),
      { authorized: "403 nft_required", pro: "200", ...owners },
    ],
    [
      "a room of a gated soul, and a chain that can't be asked",
      room(({ cutOff, newRoom, souls }) => {
        cutOff();
        return newRoom(souls.gated);
      }),
      { vip: "503 chain_unavailable", owner: "200" },
      { after: (world) => world.reconnect() },
    ],
    [
      "no session_token",
      room(({ souls }) => ({ soul_id: souls.none })),
      { authorized: "400 invalid_input" },
    ],
  ];
}

/** Requests a reply and cancels it as soon as the room receives the question. */
async function cancelWhenAsked(world: AccessMatrixWorld, who: CallerKind) {
  const room = world.newRoom();
  const asker = world.people[who];
  const visitor = joinAs(world, asker, room);
  const goOn = world.provider.holdNext();
  await eventually(() => {
    if (!visitor.types.includes("sync")) throw new Error("not there yet");
  });
  void eventually(() => {
    if (!visitor.types.includes("asked")) throw new Error("not asked yet");
  }).then(async () => {
    const [{ reply_id } = { reply_id: "" }] = visitor.of("asked");
    await asker.post("/trpc/chat.cancel", { reply_id });
    goOn();
    await visitor.close();
  });
  return { ...room, content: "Is it dark?" };
}

/** Expected access to the chat endpoints (specification §4.2). */
export const chatAccess: AccessMatrix = {
  "POST /chat": [
    ...entering({ content: "Hello." }),
    [
      "a secret in somebody's public room",
      async ({ begunRoom }) => ({ ...(await begunRoom()), content: "Psst.", is_private: true }),
      { authorized: "403 private_session", blocked: "403 blocked", owner: "200" },
    ],
    [
      "no such soul, and nothing to say",
      ({ souls }) => ({ soul_id: souls.none, session_token: "home", content: " " }),
      { authorized: "400 invalid_input" },
    ],
    [
      "a room in which only its owner may talk",
      async ({ begunRoom, people }) => {
        const room = await begunRoom();
        await people.owner.put("/api/room", { ...room, talk: "owner" });
        return { ...room, content: "Hello." };
      },
      { authorized: "403 muted", blocked: "403 blocked", owner: "200" },
    ],
    [
      "8,001 characters",
      said({ content: "x".repeat(8_001) }),
      { vip: "400 input_too_long", pro: "200", key: "403 pass_required" },
    ],
    [
      "an image, where the plan has none",
      said({ image: GIF }),
      { vip: "403 image_not_allowed", pro: "200", expired: "403 pass_expired" },
    ],
    [
      "no image",
      said({ image: "data:image/png;base64,AAAA" }),
      { authorized: "400 image_invalid" },
    ],
    [
      "deep think, where the plan has none",
      said({ deep_think: true }),
      { vip: "403 deep_think_not_allowed", pro: "200", member: "401 unauthenticated" },
    ],
    [
      "a day that is used up",
      async (world, who) => {
        await world.spendDay(who);
        return said()(world);
      },
      { vip: "429 quota_exceeded", pro: "429 quota_exceeded", owner: "429 quota_exceeded" },
      { after: ({ giveBackDay }) => giveBackDay() },
    ],
    ...branching,
    [
      "a reply that is called back",
      cancelWhenAsked,
      { vip: "409 cancelled", owner: "409 cancelled" },
    ],
    [
      "a provider that refuses",
      (world) => {
        world.provider.failNext({ status: 400 });
        return said()(world);
      },
      { vip: "502 provider_failed", owner: "502 provider_failed" },
    ],
    [
      "a provider that does not answer",
      (world) => {
        world.provider.failNext("hang");
        return said()(world);
      },
      { vip: "504 provider_timeout" },
    ],
  ],

  "GET /chat": [
    ...entering(),
    [
      "a page too long",
      ({ newRoom }) => ({ ...newRoom(), limit: 501 }),
      { authorized: "400 invalid_input" },
    ],
  ],

  "GET /chat-sync": [
    ...entering(),
    [
      "a last_id that is none",
      ({ newRoom }) => ({ ...newRoom(), last_id: -1 }),
      { authorized: "400 invalid_input" },
    ],
    [
      "a wait of 26 seconds",
      ({ newRoom }) => ({ ...newRoom(), wait: 26 }),
      { authorized: "400 invalid_input" },
    ],
    [
      "a wait of 1 second",
      ({ newRoom }) => ({ ...newRoom(), last_id: 0, wait: 1 }),
      { owner: "200" },
    ],
  ],

  "GET /my-chats": [["at any time", {}, { authorized: "200" }]],

  "PUT /my-chats": [
    [
      "a public room",
      async ({ begunRoom }) => ({ ...(await begunRoom()), summary: "Ada likes tabs." }),
      { authorized: "403 not_owner", owner: "200", blocked: "403 blocked" },
    ],
    [
      "a private room",
      async ({ begunRoom }) => ({ ...(await begunRoom({ is_private: true })), summary: null }),
      { authorized: "403 private_session", blocked: "403 blocked", owner: "200" },
    ],
    [
      "a room from which its owner has banned the caller",
      async ({ banningRoom }) => ({ ...(await banningRoom()), summary: null }),
      { vip: "403 banned", pro: "403 not_owner" },
    ],
    [
      "a room without messages",
      ({ newRoom }) => ({ ...newRoom(), summary: null }),
      { authorized: "403 not_owner" },
    ],
    [
      "a room of a private soul",
      ({ newRoom, souls }) => ({ ...newRoom(souls.private), summary: null }),
      { authorized: "404 soul_not_found", owner: "403 not_owner" },
    ],
    [
      "a room of a gated soul",
      ({ newRoom, souls }) => ({ ...newRoom(souls.gated), summary: null }),
      { authorized: "403 nft_required", pro: "403 not_owner", owner: "403 not_owner" },
    ],
    [
      "a room of a gated soul, and a chain that can't be asked",
      ({ cutOff, newRoom, souls }) => {
        cutOff();
        return { ...newRoom(souls.gated), summary: null };
      },
      { vip: "503 chain_unavailable" },
      { after: (world) => world.reconnect() },
    ],
    [
      "a room that remembers something else than was read",
      async ({ begunRoom }) => ({ ...(await begunRoom()), summary: null, expected: "Else." }),
      { owner: "409 summary_changed", authorized: "403 not_owner", blocked: "403 blocked" },
    ],
    ["no summary", ({ newRoom }) => newRoom(), { authorized: "400 invalid_input" }],
  ],

  "GET /chat-quota": [["at any time", {}, { authorized: "200" }]],

  "GET /admin/usage": [
    ["a week", {}, { authorized: "200" }],
    ["an account", { username: "ona" }, { authorized: "200" }],
    ["an unknown user", { username: "nobody-here" }, { authorized: "404 user_not_found" }],
    ["no day", { days: 0 }, { authorized: "400 invalid_input" }],
  ],

  "POST /admin/rotate-keys": [["at any time", {}, { authorized: "200" }]],
};

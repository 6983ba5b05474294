import type { AccessMatrix, Ask, Outcome, Row } from "../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../testing/access/access-matrix-world.ts";
import type { CallerKind } from "../testing/access/caller-kinds.ts";
import {
  both,
  inBanningRoom,
  inBegunRoom,
  inDeletedRoom,
  inNewRoom,
  inQuietRoom,
  ofGatedSoul,
  ofPrivateSoul,
  ofRoom,
  ofSoul,
  owners,
  withoutChain,
} from "../testing/access/requests.ts";
import { eventually } from "../testing/eventually.ts";
import { joinAs } from "../testing/live-visitor.ts";
import { branching } from "./tree/branch-cases.fixture.ts";

/** The smallest valid GIF image, as a data URI. */
export const GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

const said = (fields: object = {}) => inNewRoom({ content: "Hello.", ...fields });

/** The cases of entering a room. The caller runs `prepare` before each request. */
export function entering(
  fields: object = {},
  prepare: (world: AccessMatrixWorld, who: CallerKind) => unknown = () => undefined,
): Row[] {
  const cases: Row[] = [
    ["a room without messages", inNewRoom(fields), "200"],
    ["a public room", inBegunRoom(fields), ofRoom("200")],
    [
      "a private room",
      inBegunRoom(fields, { is_private: true }),
      { authorized: "403 private_session", blocked: "403 blocked", ...owners },
    ],
    [
      "a room from which its owner has banned the caller",
      inBanningRoom(fields),
      { vip: "403 banned", pro: "200", owner: "200" },
    ],
    [
      "a room that its owner has deleted",
      inDeletedRoom(fields),
      { vip: "404 room_not_found", owner: "200" },
    ],
    ["a room of a private soul", inNewRoom(fields, "private"), ofPrivateSoul],
    ["a room of no such soul", inNewRoom(fields, "none"), "404 soul_not_found"],
    ["a room of a gated soul", inNewRoom(fields, "gated"), ofGatedSoul],
    [
      "a room of a gated soul, and a chain that can't be asked",
      withoutChain(fields),
      { vip: "503 chain_unavailable", owner: "200" },
    ],
    ["no session_token", ofSoul("none", fields), "400 invalid_input"],
  ];
  return cases.map(([when, ask, outcomes]) => [when, preparing(prepare, ask), outcomes]);
}

/**
 * Rooms that refuse callers. `admitted` is the outcome of a caller whom the room admits, `owning` that
 * of the owner of a room with messages.
 */
export const refusals = (fields: object, admitted: Outcome, owning = admitted): Row[] => [
  [
    "a private room",
    inBegunRoom(fields, { is_private: true }),
    { authorized: "403 private_session", blocked: "403 blocked", ...both(owning) },
  ],
  [
    "a room from which its owner has banned the caller",
    inBanningRoom(fields),
    { vip: "403 banned" },
  ],
  ["a room that its owner has deleted", inDeletedRoom(fields), { vip: "404 room_not_found" }],
  [
    "a room of a private soul",
    inNewRoom(fields, "private"),
    { authorized: "404 soul_not_found", ...both(admitted) },
  ],
  [
    "a room of a gated soul",
    inNewRoom(fields, "gated"),
    { authorized: "403 nft_required", pro: admitted, ...both(admitted) },
  ],
  [
    "a room of a gated soul, and a chain that can't be asked",
    withoutChain(fields),
    { vip: "503 chain_unavailable", owner: admitted },
  ],
  ["no room", () => fields, "400 invalid_input"],
];

const preparing =
  (prepare: (world: AccessMatrixWorld, who: CallerKind) => unknown, ask: Ask): Ask =>
  async (world, who) => {
    await prepare(world, who);
    return typeof ask === "function" ? ask(world, who) : ask;
  };

const draft = { title: "Orla", content: "I keep the lighthouse." };
const tried = (fields: object = {}) => ({ soul: draft, content: "Hello.", ...fields });

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
      inBegunRoom({ content: "Psst.", is_private: true }),
      ofRoom("403 private_session", "200"),
    ],
    [
      "no such soul, and nothing to say",
      ofSoul("none", { session_token: "home", content: " " }),
      "400 invalid_input",
    ],
    [
      "a room in which only its owner may talk",
      inQuietRoom({ content: "Hello." }),
      ofRoom("403 muted", "200"),
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
    ["no image", said({ image: "data:image/png;base64,AAAA" }), "400 image_invalid"],
    [
      "deep think, where the plan has none",
      said({ deep_think: true }),
      { vip: "403 deep_think_not_allowed", pro: "200", member: "401 unauthenticated" },
    ],
    [
      "a day that is used up",
      preparing(({ spendDay }, who) => spendDay(who), said()),
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
      preparing(({ provider }) => provider.failNext({ status: 400 }), said()),
      { vip: "502 provider_failed", owner: "502 provider_failed" },
    ],
    [
      "a provider that does not answer",
      preparing(({ provider }) => provider.failNext("hang"), said()),
      { vip: "504 provider_timeout" },
    ],
  ],
  "POST /try": [
    ["a draft", tried(), "200"],
    ["a draft without a title", tried({ soul: { ...draft, title: " " } }), "400 invalid_input"],
    [
      "8,001 characters",
      tried({ content: "x".repeat(8_001) }),
      { vip: "400 input_too_long", pro: "200", member: "400 input_too_long" },
    ],
    [
      "a day that is used up",
      preparing(({ spendDay }, who) => spendDay(who), tried()),
      { vip: "429 quota_exceeded", pro: "429 quota_exceeded" },
      { after: ({ giveBackDay }) => giveBackDay() },
    ],
    [
      "a provider that refuses",
      preparing(({ provider }) => provider.failNext({ status: 400 }), tried()),
      { vip: "502 provider_failed" },
    ],
    [
      "a provider that does not answer",
      preparing(({ provider }) => provider.failNext("hang"), tried()),
      { vip: "504 provider_timeout" },
    ],
  ],
  "GET /chat": [...entering(), ["a page too long", inNewRoom({ limit: 501 }), "400 invalid_input"]],
  "GET /chat-sync": [
    ...entering(),
    ["a last_id that is none", inNewRoom({ last_id: -1 }), "400 invalid_input"],
    ["a wait of 26 seconds", inNewRoom({ wait: 26 }), "400 invalid_input"],
    ["a wait of 1 second", inNewRoom({ last_id: 0, wait: 1 }), { owner: "200" }],
  ],
  "PUT /my-chats": [
    ["a public room", inBegunRoom({ summary: "Ada likes tabs." }), ofRoom("403 not_owner", "200")],
    ...refusals({ summary: null }, "403 not_owner", "200"),
    ["a room that bans another", inBanningRoom({ summary: null }), { pro: "403 not_owner" }],
    ["a room without messages", inNewRoom({ summary: null }), "403 not_owner"],
    [
      "a room that remembers something else than was read",
      inBegunRoom({ summary: null, expected: "Else." }),
      ofRoom("403 not_owner", "409 summary_changed"),
    ],
    ["a public room that is hidden", inBegunRoom({ hidden: true }), ofRoom("200")],
    ["a room without messages that is hidden", inNewRoom({ hidden: true }), "404 room_not_found"],
    ["no summary", inNewRoom(), "400 invalid_input"],
    ["both", inNewRoom({ summary: null, hidden: true }), "400 invalid_input"],
  ],
  "GET /admin/usage": [
    ["a week", {}, "200"],
    ["an account", { username: "ona" }, "200"],
    ["an unknown user", { username: "nobody-here" }, "404 user_not_found"],
    ["no day", { days: 0 }, "400 invalid_input"],
  ],
};

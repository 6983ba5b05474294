import type { AccessMatrix, Outcome, Row } from "../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../testing/access/access-matrix-world.ts";

/**
 * Expected access to an endpoint that works on every soul the caller may see.
 * @param onPublic the outcome of an account that the owner has blocked
 */
const onSoul = (
  more: object,
  onOwnPrivate: Outcome = "200",
  onPublic: Outcome = "403 blocked",
): Row[] => {
  const soul = (which: keyof AccessMatrixWorld["souls"]) => (world: AccessMatrixWorld) => ({
    soul_id: world.souls[which],
    ...more,
  });
  return [
    ["a public soul", soul("public"), { authorized: "200", blocked: onPublic }],
    ["a private soul", soul("private"), { authorized: "404 soul_not_found", owner: onOwnPrivate }],
    ["no such soul", soul("none"), { authorized: "404 soul_not_found" }],
    ["soul 0", { ...more, soul_id: 0 }, { authorized: "400 invalid_input" }],
  ];
};

/** Expected access to profiles and social endpoints (specification §4.5). */
export const socialStatuses: AccessMatrix = {
  "POST /like": onSoul({}),

  "POST /rate": [
    ...onSoul({ rating: 4 }),
    [
      "6 of 5",
      ({ souls }) => ({ soul_id: souls.none, rating: 6 }),
      { authorized: "400 invalid_input" },
    ],
  ],

  "POST /fork": [
    ...onSoul({}, "403 soul_not_public"),
    [
      "a gated soul",
      ({ souls }) => ({ soul_id: souls.gated }),
      { authorized: "403 nft_required", pro: "200", owner: "200" },
    ],
    [
      "a gated soul while the chain is unavailable",
      (world) => {
        world.cutOff();
        return { soul_id: world.souls.gated };
      },
      { vip: "503 chain_unavailable", owner: "200" },
      { after: (world) => world.reconnect() },
    ],
  ],

  "GET /my-marks": onSoul({}, "200", "200").map(([when, ask, outcomes]) => [
    when,
    ask,
    when === "a private soul" ? { ...outcomes, "owner's page": "200" } : outcomes,
  ]),

  "GET /profile": [
    ["a user in another case", { username: "ONA" }, { authorized: "200" }],
    ["an unknown user", { username: "nobody-here" }, { authorized: "404 user_not_found" }],
    ["no username", {}, { authorized: "400 invalid_input" }],
  ],
};

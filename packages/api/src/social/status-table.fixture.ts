import type { Outcome, Row, StatusTable } from "../testing/status-table.ts";
import type { StatusWorld } from "../testing/status-world.ts";

/** Of every endpoint that works on a soul which the caller may see. */
const onSoul = (more: object, onOwnPrivate: Outcome = "200"): Row[] => {
  const soul = (which: keyof StatusWorld["souls"]) => (world: StatusWorld) => ({
    soul_id: world.souls[which],
    ...more,
  });
  return [
    ["a public soul", soul("public"), { everybody: "200" }],
    ["a private soul", soul("private"), { everybody: "404 soul_not_found", owner: onOwnPrivate }],
    ["no such soul", soul("none"), { everybody: "404 soul_not_found" }],
    ["soul 0", { ...more, soul_id: 0 }, { everybody: "400 invalid_input" }],
  ];
};

/** Specification §4.5, profiles and social. */
export const socialStatuses: StatusTable = {
  "POST /like": onSoul({}),

  "POST /rate": [
    ...onSoul({ rating: 4 }),
    [
      "6 of 5",
      ({ souls }) => ({ soul_id: souls.none, rating: 6 }),
      { everybody: "400 invalid_input" },
    ],
  ],

  "POST /fork": [
    ...onSoul({}, "403 soul_not_public"),
    [
      "a gated soul",
      ({ souls }) => ({ soul_id: souls.gated }),
      { everybody: "403 nft_required", pro: "200", owner: "200" },
    ],
    [
      "a gated soul, and a chain that can't be asked",
      (world) => {
        world.cutOff();
        return { soul_id: world.souls.gated };
      },
      { vip: "503 chain_unavailable", owner: "200" },
      { after: (world) => world.reconnect() },
    ],
  ],

  "GET /my-marks": onSoul({}).map(([when, ask, outcomes]) => [
    when,
    ask,
    when === "a private soul" ? { ...outcomes, "owner's page": "200" } : outcomes,
  ]),

  "GET /profile": [
    ["a user, in other letters", { username: "ONA" }, { everybody: "200" }],
    ["an unknown user", { username: "nobody-here" }, { everybody: "404 user_not_found" }],
    ["no user", {}, { everybody: "400 invalid_input" }],
  ],
};

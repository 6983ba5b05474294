import type { AccessMatrix, Outcome, Row } from "../testing/access/access-matrix.ts";
import { both, ofGatedSoul, ofSoul } from "../testing/access/requests.ts";

/**
 * Expected access to an endpoint that works on every soul the caller may see.
 * @param onPublic the outcome of an account that the owner has blocked
 */
const onSoul = (
  more: object,
  onOwnPrivate: Outcome = "200",
  onPublic: Outcome = "403 blocked",
): Row[] => [
  ["a public soul", ofSoul("public", more), { authorized: "200", blocked: onPublic }],
  [
    "a private soul",
    ofSoul("private", more),
    { authorized: "404 soul_not_found", ...both(onOwnPrivate) },
  ],
  ["no such soul", ofSoul("none", more), "404 soul_not_found"],
  ["soul 0", { ...more, soul_id: 0 }, "400 invalid_input"],
];

/** Expected access to profiles and social endpoints (specification §4.5). */
export const socialStatuses: AccessMatrix = {
  "POST /like": onSoul({}),
  "POST /rate": [
    ...onSoul({ rating: 4 }),
    ["6 of 5", ofSoul("none", { rating: 6 }), "400 invalid_input"],
  ],
  "POST /fork": [
    ...onSoul({}, "403 soul_not_public"),
    ["a gated soul", ofSoul("gated"), ofGatedSoul],
    [
      "a gated soul while the chain is unavailable",
      (world) => world.cutOff({ soul_id: world.souls.gated }),
      { vip: "503 chain_unavailable", owner: "200" },
    ],
  ],
  "GET /my-marks": onSoul({}, "200", "200"),
  "GET /profile": [
    ["a user in another case", { username: "ONA" }, "200"],
    ["an unknown user", { username: "nobody-here" }, "404 user_not_found"],
  ],
};

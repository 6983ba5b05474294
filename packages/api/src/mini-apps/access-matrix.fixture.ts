import type { AccessMatrix } from "../testing/access/access-matrix.ts";

/**
 * Input of the mini app `chess-lesson`, which matches the public soul of the access matrix, “Chess
 * with Orla”.
 */
const form = {
  slug: "chess-lesson",
  fields: { lesson: "Train tactics", question: "Forks" },
};

/** Expected access to the mini app endpoints (specification §4.3). */
export const miniAppStatuses: AccessMatrix = {
  "GET /apps": [
    ["no parameters", {}, { authorized: "200" }],
    ["an unknown category", { category: "cars" }, { authorized: "200" }],
    ["an app", { slug: "chess-lesson" }, { authorized: "200" }],
    ["an unknown app", { slug: "no-such" }, { authorized: "404 app_not_found" }],
    ["a q that is too long", { q: "x".repeat(201) }, { authorized: "400 invalid_input" }],
  ],

  "POST /apps": [
    ["a matching soul", ({ souls }) => ({ ...form, soul_id: souls.public }), { authorized: "200" }],
    [
      "a soul without a keyword",
      async ({ publish }) => ({ ...form, soul_id: await publish({ title: "Gardener" }) }),
      { authorized: "400 soul_not_eligible" },
    ],
    [
      "a gated soul",
      ({ souls }) => ({ ...form, soul_id: souls.gated }),
      { authorized: "400 soul_not_eligible" },
    ],
    [
      "a private soul",
      ({ souls }) => ({ ...form, soul_id: souls.private }),
      {
        authorized: "404 soul_not_found",
        owner: "400 soul_not_eligible",
        "owner's page": "400 soul_not_eligible",
      },
    ],
    [
      "no such soul",
      ({ souls }) => ({ ...form, soul_id: souls.none }),
      { authorized: "404 soul_not_found" },
    ],
    [
      "an unknown app",
      ({ souls }) => ({ ...form, slug: "no-such", soul_id: souls.public }),
      { authorized: "404 app_not_found" },
    ],
    [
      "an unknown app, an empty form and an unknown soul",
      ({ souls }) => ({ slug: "no-such", fields: {}, soul_id: souls.none }),
      { authorized: "404 app_not_found" },
    ],
    [
      "a form without a required field, and an unknown soul",
      ({ souls }) => ({ ...form, fields: { lesson: "Train tactics" }, soul_id: souls.none }),
      { authorized: "400 invalid_input" },
    ],
  ],
};

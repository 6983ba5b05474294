import type { AccessMatrix } from "../testing/access/access-matrix.ts";
import { ofSoul } from "../testing/access/requests.ts";

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
    ["no parameters", {}, "200"],
    ["an unknown category", { category: "cars" }, "200"],
    ["an app", { slug: "chess-lesson" }, "200"],
    ["an unknown app", { slug: "no-such" }, "404 app_not_found"],
    ["a q that is too long", { q: "x".repeat(201) }, "400 invalid_input"],
  ],
  "POST /apps": [
    ["a matching soul", ofSoul("public", form), "200"],
    [
      "a soul without a keyword",
      async ({ publish }) => ({ ...form, soul_id: await publish({ title: "Gardener" }) }),
      "400 soul_not_eligible",
    ],
    ["a gated soul", ofSoul("gated", form), "400 soul_not_eligible"],
    [
      "a private soul",
      ofSoul("private", form),
      {
        authorized: "404 soul_not_found",
        owner: "400 soul_not_eligible",
        "owner's page": "400 soul_not_eligible",
      },
    ],
    ["no such soul", ofSoul("none", form), "404 soul_not_found"],
    ["an unknown app", ofSoul("public", { ...form, slug: "no-such" }), "404 app_not_found"],
    [
      "an unknown app, an empty form and an unknown soul",
      ofSoul("none", { slug: "no-such", fields: {} }),
      "404 app_not_found",
    ],
    [
      "a form without a required field, and an unknown soul",
      ofSoul("none", { ...form, fields: { lesson: "Train tactics" } }),
      "400 invalid_input",
    ],
  ],
};

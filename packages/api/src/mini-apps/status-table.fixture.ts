import type { StatusTable } from "../testing/status-table.ts";

/** The world's public soul is called “Chess with Orla”. */
const form = {
  slug: "chess-lesson",
  fields: { lesson: "Train tactics", question: "Forks" },
};

/** Specification §4.3. */
export const miniAppStatuses: StatusTable = {
  "GET /apps": [
    ["no question", {}, { everybody: "200" }],
    ["an unknown category", { category: "cars" }, { everybody: "200" }],
    ["an app", { slug: "chess-lesson" }, { everybody: "200" }],
    ["an unknown app", { slug: "no-such" }, { everybody: "404 app_not_found" }],
    ["a question too long", { q: "x".repeat(201) }, { everybody: "400 invalid_input" }],
  ],

  "POST /apps": [
    [
      "a soul of its theme",
      ({ souls }) => ({ ...form, soul_id: souls.public }),
      { everybody: "200" },
    ],
    [
      "a soul of another theme",
      async ({ publish }) => ({ ...form, soul_id: await publish({ title: "Gardener" }) }),
      { everybody: "400 soul_not_eligible" },
    ],
    [
      "a gated soul",
      ({ souls }) => ({ ...form, soul_id: souls.gated }),
      { everybody: "400 soul_not_eligible" },
    ],
    [
      "a private soul",
      ({ souls }) => ({ ...form, soul_id: souls.private }),
      {
        everybody: "404 soul_not_found",
        owner: "400 soul_not_eligible",
        "owner's page": "400 soul_not_eligible",
      },
    ],
    [
      "no such soul",
      ({ souls }) => ({ ...form, soul_id: souls.none }),
      { everybody: "404 soul_not_found" },
    ],
    [
      "an unknown app",
      ({ souls }) => ({ ...form, slug: "no-such", soul_id: souls.public }),
      { everybody: "404 app_not_found" },
    ],
    [
      "an unknown app, with a form and a soul that are none",
      ({ souls }) => ({ slug: "no-such", fields: {}, soul_id: souls.none }),
      { everybody: "404 app_not_found" },
    ],
    [
      "a form that lacks a field, for no such soul",
      ({ souls }) => ({ ...form, fields: { lesson: "Train tactics" }, soul_id: souls.none }),
      { everybody: "400 invalid_input" },
    ],
  ],
};

import type { StatusTable } from "../testing/status-table.ts";
import type { StatusWorld } from "../testing/status-world.ts";

const soul = { title: "A soul", content: "# Be kind" };

/** A soul of the owner that has been edited, and the version it then has. */
async function editedSoul(world: StatusWorld, fields: object = {}) {
  const id = await world.publish(fields);
  await world.people.owner.put(`/api/soul/${id}`, { title: "Edited" });
  const { body } = await world.people.owner.get(`/api/versions?soul_id=${id}`);
  return { soul_id: id, version_id: body.data[0].id };
}

/** Whoever has a wallet, but no token that the chain has confirmed, has to ask it. */
const chainDown = { after: (world: StatusWorld) => world.reconnect() };
const cutOff = (world: StatusWorld, fields: object) => {
  world.cutOff();
  return fields;
};

/** Specification §4.4, and the versions of §4.5. */
export const soulStatuses: StatusTable = {
  "GET /categories": [["at any time", {}, { everybody: "200" }]],

  "GET /souls": [
    ["no question", {}, { everybody: "200" }],
    ["a question", { q: "chess", role: "Other", sort: "rating", limit: 1 }, { everybody: "200" }],
    ["an unknown order", { sort: "best" }, { everybody: "400 invalid_input" }],
    ["a page of nothing", { limit: 0 }, { everybody: "400 invalid_input" }],
  ],

  "GET /my-souls": [
    ["the first page", {}, { everybody: "200" }],
    ["a page too long", { limit: 101 }, { everybody: "400 invalid_input" }],
  ],

  "GET /soul/{id}": [
    ["a public soul", ({ souls }) => ({ id: souls.public }), { everybody: "200" }],
    [
      "a private soul",
      ({ souls }) => ({ id: souls.private }),
      { everybody: "404 soul_not_found", owner: "200", "owner's page": "200" },
    ],
    ["a gated soul", ({ souls }) => ({ id: souls.gated }), { everybody: "200" }],
    [
      "a gated soul, and a chain that can't be asked",
      (world) => cutOff(world, { id: world.souls.gated }),
      { nobody: "200", vip: "503 chain_unavailable", owner: "200" },
      chainDown,
    ],
    ["no such soul", ({ souls }) => ({ id: souls.none }), { everybody: "404 soul_not_found" }],
    ["soul 0", { id: 0 }, { everybody: "400 invalid_input" }],
  ],

  "POST /souls": [
    ["title and content", soul, { everybody: "200" }],
    ["no content", { title: "A soul" }, { everybody: "400 invalid_input" }],
    ["an unknown role", { ...soul, role: "astrologer" }, { everybody: "200" }],
  ],

  "PUT /soul/{id}": [
    [
      "a public soul",
      ({ souls }) => ({ id: souls.public, domain: "games" }),
      { everybody: "403 not_owner", owner: "200" },
    ],
    [
      "a private soul",
      ({ souls }) => ({ id: souls.private, domain: "games" }),
      { everybody: "404 soul_not_found", owner: "200" },
    ],
    [
      "no such soul",
      ({ souls }) => ({ id: souls.none, domain: "games" }),
      { everybody: "404 soul_not_found" },
    ],
    [
      "no field of no such soul",
      ({ souls }) => ({ id: souls.none }),
      { everybody: "400 invalid_input" },
    ],
  ],

  "DELETE /soul/{id}": [
    [
      "a public soul",
      async ({ publish }) => ({ id: await publish() }),
      { everybody: "403 not_owner", owner: "200" },
    ],
    [
      "a private soul",
      async ({ publish }) => ({ id: await publish({ is_public: 0 }) }),
      { everybody: "404 soul_not_found", owner: "200" },
    ],
    ["no such soul", ({ souls }) => ({ id: souls.none }), { everybody: "404 soul_not_found" }],
    ["soul 0", { id: 0 }, { everybody: "400 invalid_input" }],
  ],

  "GET /versions": [
    ["a public soul", ({ souls }) => ({ soul_id: souls.public }), { everybody: "200" }],
    [
      "a private soul",
      ({ souls }) => ({ soul_id: souls.private }),
      { everybody: "404 soul_not_found", owner: "200", "owner's page": "200" },
    ],
    ["a gated soul", ({ souls }) => ({ soul_id: souls.gated }), { everybody: "200" }],
    [
      "a gated soul, and a chain that can't be asked",
      (world) => cutOff(world, { soul_id: world.souls.gated }),
      { nobody: "200", vip: "503 chain_unavailable", owner: "200" },
      chainDown,
    ],
    ["no such soul", ({ souls }) => ({ soul_id: souls.none }), { everybody: "404 soul_not_found" }],
    ["no soul_id", {}, { everybody: "400 invalid_input" }],
  ],

  "POST /versions": [
    [
      "a version of a public soul",
      (world) => editedSoul(world),
      { everybody: "403 not_owner", owner: "200" },
    ],
    [
      "a version of a private soul",
      (world) => editedSoul(world, { is_public: 0 }),
      { everybody: "404 soul_not_found", owner: "200" },
    ],
    [
      "no such version",
      ({ souls }) => ({ soul_id: souls.public, version_id: souls.none }),
      { everybody: "403 not_owner", owner: "404 version_not_found" },
    ],
    [
      "a version of another soul",
      async (world) => ({ ...(await editedSoul(world)), soul_id: world.souls.public }),
      { everybody: "403 not_owner", owner: "404 version_not_found" },
    ],
    [
      "no such soul",
      ({ souls }) => ({ soul_id: souls.none, version_id: 1 }),
      { everybody: "404 soul_not_found" },
    ],
    ["no version_id", ({ souls }) => ({ soul_id: souls.none }), { everybody: "400 invalid_input" }],
  ],
};

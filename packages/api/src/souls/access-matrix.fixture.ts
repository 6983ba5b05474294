import type { AccessMatrix } from "../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../testing/access/access-matrix-world.ts";

const soul = { title: "A soul", content: "# Be kind" };

/** While the chain is unreachable, a caller without a cached positive answer gets 503. */
const chainDown = { after: (world: AccessMatrixWorld) => world.reconnect() };
const cutOff = (world: AccessMatrixWorld, fields: object) => {
  world.cutOff();
  return fields;
};

/** The access matrix of specification §4.4. */
export const soulStatuses: AccessMatrix = {
  "GET /categories": [["no parameters", {}, { authorized: "200" }]],

  "GET /souls": [
    ["no parameters", {}, { authorized: "200" }],
    ["a search", { q: "chess", role: "Other", sort: "rating", limit: 1 }, { authorized: "200" }],
    ["an unknown sort", { sort: "best" }, { authorized: "400 invalid_input" }],
    ["limit 0", { limit: 0 }, { authorized: "400 invalid_input" }],
  ],

  "GET /my-souls": [
    ["the first page", {}, { authorized: "200" }],
    ["limit 101", { limit: 101 }, { authorized: "400 invalid_input" }],
  ],

  "GET /soul/{id}": [
    ["a public soul", ({ souls }) => ({ id: souls.public }), { authorized: "200" }],
    [
      "a private soul",
      ({ souls }) => ({ id: souls.private }),
      { authorized: "404 soul_not_found", owner: "200", "owner's page": "200" },
    ],
    ["a gated soul", ({ souls }) => ({ id: souls.gated }), { authorized: "200" }],
    [
      "a gated soul while the chain is unreachable",
      (world) => cutOff(world, { id: world.souls.gated }),
      { nobody: "200", vip: "503 chain_unavailable", owner: "200" },
      chainDown,
    ],
    ["an unknown soul", ({ souls }) => ({ id: souls.none }), { authorized: "404 soul_not_found" }],
    ["the id 0", { id: 0 }, { authorized: "400 invalid_input" }],
  ],

  "POST /souls": [
    ["title and content", soul, { authorized: "200" }],
    ["no content", { title: "A soul" }, { authorized: "400 invalid_input" }],
    ["an unknown role", { ...soul, role: "astrologer" }, { authorized: "200" }],
  ],

  "PUT /soul/{id}": [
    [
      "a public soul",
      ({ souls }) => ({ id: souls.public, domain: "games" }),
      { authorized: "403 not_owner", owner: "200" },
    ],
    [
      "a private soul",
      ({ souls }) => ({ id: souls.private, domain: "games" }),
      { authorized: "404 soul_not_found", owner: "200" },
    ],
    [
      "an unknown soul",
      ({ souls }) => ({ id: souls.none, domain: "games" }),
      { authorized: "404 soul_not_found" },
    ],
    [
      "another content than expected",
      ({ souls }) => ({ id: souls.public, domain: "games", expected_sha256: "0".repeat(64) }),
      { authorized: "403 not_owner", owner: "409 soul_changed" },
    ],
    [
      "no field, unknown soul",
      ({ souls }) => ({ id: souls.none }),
      { authorized: "400 invalid_input" },
    ],
  ],

  "DELETE /soul/{id}": [
    [
      "a public soul",
      async ({ publish }) => ({ id: await publish() }),
      { authorized: "403 not_owner", owner: "200" },
    ],
    [
      "a private soul",
      async ({ publish }) => ({ id: await publish({ is_public: 0 }) }),
      { authorized: "404 soul_not_found", owner: "200" },
    ],
    ["an unknown soul", ({ souls }) => ({ id: souls.none }), { authorized: "404 soul_not_found" }],
    ["the id 0", { id: 0 }, { authorized: "400 invalid_input" }],
  ],
};

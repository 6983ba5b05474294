import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";

/** Publishes and edits a soul of the owner. Returns the ids of the soul and of its only version. */
async function editedSoul(world: AccessMatrixWorld, fields: object = {}) {
  const id = await world.publish(fields);
  await world.people.owner.put(`/api/soul/${id}`, { title: "Edited" });
  const { body } = await world.people.owner.get(`/api/versions?soul_id=${id}`);
  return { soul_id: id, version_id: body.data[0].id };
}

/** Publishes a soul whose first version is hidden. Returns its id and the number of that version. */
async function hiddenVersion(world: AccessMatrixWorld) {
  const { soul_id } = await editedSoul(world);
  await world.people.owner.put("/api/version", { soul_id, number: 1, is_hidden: true });
  return { soul_id, number: 1 };
}

/** While the chain is unreachable, a caller without a cached positive answer gets 503. */
const chainDown = { after: (world: AccessMatrixWorld) => world.reconnect() };
const cutOff = (world: AccessMatrixWorld, fields: object) => {
  world.cutOff();
  return fields;
};

/** The access matrix of the versions of specification §4.5 and decisions §7. */
export const versionStatuses: AccessMatrix = {
  "GET /versions": [
    ["a public soul", ({ souls }) => ({ soul_id: souls.public }), { authorized: "200" }],
    [
      "a private soul",
      ({ souls }) => ({ soul_id: souls.private }),
      { authorized: "404 soul_not_found", owner: "200", "owner's page": "200" },
    ],
    ["a gated soul", ({ souls }) => ({ soul_id: souls.gated }), { authorized: "200" }],
    [
      "a gated soul while the chain is unreachable",
      (world) => cutOff(world, { soul_id: world.souls.gated }),
      { nobody: "200", vip: "503 chain_unavailable", owner: "200" },
      chainDown,
    ],
    [
      "an unknown soul",
      ({ souls }) => ({ soul_id: souls.none }),
      { authorized: "404 soul_not_found" },
    ],
    [
      "without texts",
      ({ souls }) => ({ soul_id: souls.public, content: false }),
      { authorized: "200" },
    ],
    ["no soul_id", {}, { authorized: "400 invalid_input" }],
  ],

  "GET /version": [
    ["the present version", ({ souls }) => ({ soul_id: souls.public }), { authorized: "200" }],
    [
      "a former version",
      async (world) => ({ soul_id: (await editedSoul(world)).soul_id, number: 1 }),
      { authorized: "200" },
    ],
    [
      "a hidden version",
      (world) => hiddenVersion(world),
      { authorized: "404 version_not_found", owner: "200", "owner's page": "200" },
    ],
    [
      "an unknown version",
      ({ souls }) => ({ soul_id: souls.public, number: souls.none }),
      { authorized: "404 version_not_found" },
    ],
    [
      "a private soul",
      ({ souls }) => ({ soul_id: souls.private }),
      { authorized: "404 soul_not_found", owner: "200", "owner's page": "200" },
    ],
    ["a gated soul", ({ souls }) => ({ soul_id: souls.gated }), { authorized: "200" }],
    [
      "a gated soul while the chain is unreachable",
      (world) => cutOff(world, { soul_id: world.souls.gated }),
      { nobody: "200", vip: "503 chain_unavailable", owner: "200" },
      chainDown,
    ],
    [
      "an unknown soul",
      ({ souls }) => ({ soul_id: souls.none }),
      { authorized: "404 soul_not_found" },
    ],
    ["the number 0", { soul_id: 1, number: 0 }, { authorized: "400 invalid_input" }],
  ],

  "GET /version-diff": [
    [
      "the last change",
      async (world) => ({ soul_id: (await editedSoul(world)).soul_id }),
      { authorized: "200" },
    ],
    [
      "a hidden version",
      async (world) => {
        const { soul_id, number } = await hiddenVersion(world);
        return { soul_id, from: number };
      },
      { authorized: "404 version_not_found", owner: "200", "owner's page": "200" },
    ],
    [
      "an unknown version",
      ({ souls }) => ({ soul_id: souls.public, to: souls.none }),
      { authorized: "404 version_not_found" },
    ],
    [
      "a private soul",
      async (world) => ({ soul_id: (await editedSoul(world, { is_public: 0 })).soul_id }),
      { authorized: "404 soul_not_found", owner: "200", "owner's page": "200" },
    ],
    [
      "a gated soul",
      ({ souls }) => ({ soul_id: souls.gated, from: 1, to: 1 }),
      { authorized: "403 nft_required", pro: "200", owner: "200", "owner's page": "200" },
    ],
    [
      "a gated soul while the chain is unreachable",
      (world) => cutOff(world, { soul_id: world.souls.gated, from: 1, to: 1 }),
      { nobody: "403 nft_required", vip: "503 chain_unavailable", owner: "200" },
      chainDown,
    ],
    [
      "an unknown soul",
      ({ souls }) => ({ soul_id: souls.none }),
      { authorized: "404 soul_not_found" },
    ],
    ["the number 0", { soul_id: 1, from: 0 }, { authorized: "400 invalid_input" }],
  ],

  "PUT /version": [
    [
      "the note of a version of a public soul",
      async (world) => ({ soul_id: (await editedSoul(world)).soul_id, number: 1, note: "First." }),
      { authorized: "403 not_owner", owner: "200" },
    ],
    [
      "a version of a private soul",
      async (world) => ({
        soul_id: (await editedSoul(world, { is_public: 0 })).soul_id,
        number: 1,
        is_hidden: true,
      }),
      { authorized: "404 soul_not_found", owner: "200" },
    ],
    [
      "the present version, hidden",
      async ({ publish }) => ({ soul_id: await publish(), number: 1, is_hidden: true }),
      { authorized: "403 not_owner", owner: "400 invalid_input" },
    ],
    [
      "an unknown version",
      ({ souls }) => ({ soul_id: souls.public, number: souls.none, note: "" }),
      { authorized: "403 not_owner", owner: "404 version_not_found" },
    ],
    [
      "an unknown soul",
      ({ souls }) => ({ soul_id: souls.none, number: 1, note: "" }),
      { authorized: "404 soul_not_found" },
    ],
    [
      "nothing to set",
      ({ souls }) => ({ soul_id: souls.none, number: 1 }),
      { authorized: "400 invalid_input" },
    ],
  ],

  "POST /versions": [
    [
      "a version of a public soul",
      (world) => editedSoul(world),
      { authorized: "403 not_owner", owner: "200" },
    ],
    [
      "a version of a private soul",
      (world) => editedSoul(world, { is_public: 0 }),
      { authorized: "404 soul_not_found", owner: "200" },
    ],
    [
      "an unknown version",
      ({ souls }) => ({ soul_id: souls.public, version_id: souls.none }),
      { authorized: "403 not_owner", owner: "404 version_not_found" },
    ],
    [
      "a version of another soul",
      async (world) => ({ ...(await editedSoul(world)), soul_id: world.souls.public }),
      { authorized: "403 not_owner", owner: "404 version_not_found" },
    ],
    [
      "an unknown soul",
      ({ souls }) => ({ soul_id: souls.none, version_id: 1 }),
      { authorized: "404 soul_not_found" },
    ],
    [
      "no version_id",
      ({ souls }) => ({ soul_id: souls.none }),
      { authorized: "400 invalid_input" },
    ],
  ],
};

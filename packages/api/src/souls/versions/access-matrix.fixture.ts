import type { AccessMatrix, Ask } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import {
  NO_ID,
  ofGatedSoul,
  ofOwner,
  ofPrivateSoul,
  ofSoul,
  owners,
} from "../../testing/access/requests.ts";

/** Publishes and edits a soul of the owner. Returns the ids of the soul and of its only version. */
async function editedSoul(world: AccessMatrixWorld, fields: object = {}) {
  const id = await world.publish(fields);
  await world.people.owner.put(`/api/soul/${id}`, { title: "Edited" });
  const { body } = await world.people.owner.get(`/api/versions?soul_id=${id}`);
  return { soul_id: id, version_id: body.data[0].id };
}

/** The first version of an edited soul that was published with the fields `of`. */
const onVersion =
  (fields: object = {}, of: object = {}): Ask =>
  async (world) => ({ soul_id: (await editedSoul(world, of)).soul_id, number: 1, ...fields });

/** Publishes a soul whose first version is hidden. Returns its id and the number of that version. */
async function hiddenVersion(world: AccessMatrixWorld) {
  const { soul_id } = await editedSoul(world);
  await world.people.owner.put("/api/version", { soul_id, number: 1, is_hidden: true });
  return { soul_id, number: 1 };
}

/** The access matrix of the versions of specification §4.5 and decisions §7. */
export const versionStatuses: AccessMatrix = {
  "GET /versions": [
    ["a public soul", ofSoul("public"), "200"],
    ["a private soul", ofSoul("private"), ofPrivateSoul],
    ["a gated soul", ofSoul("gated"), "200"],
    [
      "a gated soul while the chain is unreachable",
      (world) => world.cutOff({ soul_id: world.souls.gated }),
      { nobody: "200", vip: "503 chain_unavailable", owner: "200" },
    ],
    ["an unknown soul", ofSoul("none"), "404 soul_not_found"],
    ["without texts", ofSoul("public", { content: false }), "200"],
  ],
  "GET /version": [
    ["the present version", ofSoul("public"), "200"],
    ["a former version", onVersion(), "200"],
    ["a hidden version", hiddenVersion, { authorized: "404 version_not_found", ...owners }],
    ["an unknown version", ofSoul("public", { number: NO_ID }), "404 version_not_found"],
    ["a private soul", ofSoul("private"), ofPrivateSoul],
    ["a gated soul", ofSoul("gated"), "200"],
    [
      "a gated soul while the chain is unreachable",
      (world) => world.cutOff({ soul_id: world.souls.gated }),
      { nobody: "200", vip: "503 chain_unavailable", owner: "200" },
    ],
    ["an unknown soul", ofSoul("none"), "404 soul_not_found"],
    ["the number 0", { soul_id: 1, number: 0 }, "400 invalid_input"],
  ],
  "GET /version-diff": [
    ["the last change", async (world) => ({ soul_id: (await editedSoul(world)).soul_id }), "200"],
    [
      "a hidden version",
      async (world) => ({ soul_id: (await hiddenVersion(world)).soul_id, from: 1 }),
      { authorized: "404 version_not_found", ...owners },
    ],
    ["an unknown version", ofSoul("public", { to: NO_ID }), "404 version_not_found"],
    [
      "a private soul",
      async (world) => ({ soul_id: (await editedSoul(world, { is_public: 0 })).soul_id }),
      ofPrivateSoul,
    ],
    ["a gated soul", ofSoul("gated", { from: 1, to: 1 }), ofGatedSoul],
    [
      "a gated soul while the chain is unreachable",
      (world) => world.cutOff({ soul_id: world.souls.gated, from: 1, to: 1 }),
      { nobody: "403 nft_required", vip: "503 chain_unavailable", owner: "200" },
    ],
    ["an unknown soul", ofSoul("none"), "404 soul_not_found"],
    ["the number 0", { soul_id: 1, from: 0 }, "400 invalid_input"],
  ],
  "PUT /version": [
    ["the note of a version of a public soul", onVersion({ note: "First." }), ofOwner],
    [
      "a version of a private soul",
      onVersion({ is_hidden: true }, { is_public: 0 }),
      ofPrivateSoul,
    ],
    [
      "the present version, hidden",
      async ({ publish }) => ({ soul_id: await publish(), number: 1, is_hidden: true }),
      { authorized: "403 not_owner", owner: "400 invalid_input" },
    ],
    [
      "an unknown version",
      ofSoul("public", { number: NO_ID, note: "" }),
      { authorized: "403 not_owner", owner: "404 version_not_found" },
    ],
    ["an unknown soul", ofSoul("none", { number: 1, note: "" }), "404 soul_not_found"],
    ["nothing to set", ofSoul("none", { number: 1 }), "400 invalid_input"],
  ],
  "POST /versions": [
    ["a version of a public soul", (world) => editedSoul(world), ofOwner],
    ["a version of a private soul", (world) => editedSoul(world, { is_public: 0 }), ofPrivateSoul],
    [
      "an unknown version",
      ofSoul("public", { version_id: NO_ID }),
      { authorized: "403 not_owner", owner: "404 version_not_found" },
    ],
    [
      "a version of another soul",
      async (world) => ({ ...(await editedSoul(world)), soul_id: world.souls.public }),
      { authorized: "403 not_owner", owner: "404 version_not_found" },
    ],
    ["an unknown soul", ofSoul("none", { version_id: 1 }), "404 soul_not_found"],
    ["no version_id", ofSoul("none"), "400 invalid_input"],
  ],
};

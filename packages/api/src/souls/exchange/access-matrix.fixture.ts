import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";

const markdown = { raw: "# Be kind", headers: { "content-type": "text/markdown" } };
const otherText = "0".repeat(64);

/** The access matrix of import and export (decisions §7, Files). */
export const exchangeStatuses: AccessMatrix = {
  "GET /soul/{id}/export": [
    ["a public soul", ({ souls }) => ({ id: souls.public }), { authorized: "200" }],
    [
      "a private soul",
      ({ souls }) => ({ id: souls.private }),
      { authorized: "404 soul_not_found", owner: "200", "owner's page": "200" },
    ],
    [
      "a gated soul",
      ({ souls }) => ({ id: souls.gated }),
      { authorized: "403 nft_required", pro: "200", owner: "200", "owner's page": "200" },
    ],
    [
      "a gated soul while the chain is unreachable",
      (world: AccessMatrixWorld) => {
        world.cutOff();
        return { id: world.souls.gated };
      },
      { vip: "503 chain_unavailable", owner: "200" },
      { after: (world) => world.reconnect() },
    ],
    [
      "an unknown version",
      ({ souls }) => ({ id: souls.public, version_id: souls.none }),
      { authorized: "404 version_not_found" },
    ],
    [
      "an unknown format",
      ({ souls }) => ({ id: souls.public, format: "docx" }),
      { authorized: "400 invalid_input" },
    ],
    ["an unknown soul", ({ souls }) => ({ id: souls.none }), { authorized: "404 soul_not_found" }],
  ],

  "POST /souls/import": [
    ["a Markdown", {}, { authorized: "200" }, markdown],
    ["a dry run", { dry_run: "1" }, { authorized: "200" }, markdown],
    ["no file", {}, { authorized: "400 import_invalid" }, { ...markdown, raw: "" }],
    [
      "an expected text without a soul",
      { expected_sha256: otherText },
      { authorized: "400 invalid_input" },
      markdown,
    ],
    [
      "a public soul",
      ({ souls }) => ({ soul_id: souls.public }),
      { authorized: "403 not_owner", owner: "200", "owner's page": "200" },
      markdown,
    ],
    [
      "a private soul",
      ({ souls }) => ({ soul_id: souls.private }),
      { authorized: "404 soul_not_found", owner: "200", "owner's page": "200" },
      markdown,
    ],
    [
      "a soul with another text",
      ({ souls }) => ({ soul_id: souls.public, expected_sha256: otherText }),
      { owner: "409 soul_changed", "owner's page": "409 soul_changed" },
      markdown,
    ],
  ],
};

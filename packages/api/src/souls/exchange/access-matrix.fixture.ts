import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import {
  NO_ID,
  ofGatedSoul,
  ofOwner,
  ofPrivateSoul,
  ofSoul,
  soulId,
} from "../../testing/access/requests.ts";

const markdown = { raw: "# Be kind", headers: { "content-type": "text/markdown" } };
const otherText = "0".repeat(64);

/** The access matrix of import and export (decisions §7, Files). */
export const exchangeStatuses: AccessMatrix = {
  "GET /soul/{id}/export": [
    ["a public soul", soulId("public"), "200"],
    ["a private soul", soulId("private"), ofPrivateSoul],
    ["a gated soul", soulId("gated"), ofGatedSoul],
    [
      "a gated soul while the chain is unreachable",
      (world) => world.cutOff({ id: world.souls.gated }),
      { vip: "503 chain_unavailable", owner: "200" },
    ],
    ["an unknown version", soulId("public", { version_id: NO_ID }), "404 version_not_found"],
    ["an unknown format", soulId("public", { format: "docx" }), "400 invalid_input"],
    ["an unknown soul", soulId("none"), "404 soul_not_found"],
  ],
  "POST /souls/import": [
    ["a Markdown", {}, "200", markdown],
    ["a dry run", { dry_run: "1" }, "200", markdown],
    ["no file", {}, "400 import_invalid", { ...markdown, raw: "" }],
    [
      "an expected text without a soul",
      { expected_sha256: otherText },
      "400 invalid_input",
      markdown,
    ],
    ["a public soul", ofSoul("public"), ofOwner, markdown],
    ["a private soul", ofSoul("private"), ofPrivateSoul, markdown],
    [
      "a soul with another text",
      ofSoul("public", { expected_sha256: otherText }),
      { owner: "409 soul_changed", "owner's page": "409 soul_changed" },
      markdown,
    ],
  ],
};

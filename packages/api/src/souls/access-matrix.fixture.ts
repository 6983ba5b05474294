import type { AccessMatrix } from "../testing/access/access-matrix.ts";
import { ofOwner, ofPrivateSoul, soulId } from "../testing/access/requests.ts";

const soul = { title: "A soul", content: "# Be kind" };

/** The access matrix of specification §4.4. */
export const soulStatuses: AccessMatrix = {
  "GET /categories": [["no parameters", {}, "200"]],
  "GET /souls": [
    ["no parameters", {}, "200"],
    ["a search", { q: "chess", role: "Other", sort: "rating", limit: 1 }, "200"],
    ["an unknown sort", { sort: "best" }, "400 invalid_input"],
    ["a search by text", { q: "chess", match: "text" }, "200"],
    ["an unknown match", { q: "chess", match: "meaning" }, "400 invalid_input"],
    ["limit 0", { limit: 0 }, "400 invalid_input"],
  ],
  "GET /my-souls": [
    ["the first page", {}, "200"],
    ["limit 101", { limit: 101 }, "400 invalid_input"],
  ],
  "GET /soul/{id}": [
    ["a public soul", soulId("public"), "200"],
    ["a private soul", soulId("private"), ofPrivateSoul],
    ["a gated soul", soulId("gated"), "200"],
    [
      "a gated soul while the chain is unreachable",
      (world) => world.cutOff({ id: world.souls.gated }),
      { nobody: "200", vip: "503 chain_unavailable", owner: "200" },
    ],
    ["an unknown soul", soulId("none"), "404 soul_not_found"],
    ["the id 0", { id: 0 }, "400 invalid_input"],
  ],
  "GET /soul/{id}/similar": [
    ["a public soul", soulId("public"), "200"],
    ["a private soul", soulId("private"), ofPrivateSoul],
    ["a gated soul", soulId("gated"), "200"],
    ["an unknown soul", soulId("none"), "404 soul_not_found"],
    ["limit 21", soulId("public", { limit: 21 }), "400 invalid_input"],
  ],
  "POST /souls": [
    ["title and content", soul, "200"],
    ["no content", { title: "A soul" }, "400 invalid_input"],
    ["an unknown role", { ...soul, role: "astrologer" }, "200"],
  ],
  "PUT /soul/{id}": [
    ["a public soul", soulId("public", { domain: "games" }), ofOwner],
    ["a private soul", soulId("private", { domain: "games" }), ofPrivateSoul],
    ["an unknown soul", soulId("none", { domain: "games" }), "404 soul_not_found"],
    [
      "another content than expected",
      soulId("public", { domain: "games", expected_sha256: "0".repeat(64) }),
      { authorized: "403 not_owner", owner: "409 soul_changed" },
    ],
    ["no field, unknown soul", soulId("none"), "400 invalid_input"],
  ],
  "DELETE /soul/{id}": [
    ["a public soul", async ({ publish }) => ({ id: await publish() }), ofOwner],
    [
      "a private soul",
      async ({ publish }) => ({ id: await publish({ is_public: 0 }) }),
      ofPrivateSoul,
    ],
    ["an unknown soul", soulId("none"), "404 soul_not_found"],
    ["the id 0", { id: 0 }, "400 invalid_input"],
  ],
};

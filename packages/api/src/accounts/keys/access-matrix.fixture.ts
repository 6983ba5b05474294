import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import type { CallerKind } from "../../testing/access/caller-kinds.ts";
import { NO_ID } from "../../testing/access/requests.ts";
import { PASSWORD } from "../../testing/test-hub.ts";

const newKey = { name: "laptop", scopes: ["chat"], password: PASSWORD };

/** The id of a new key of the caller; that of no key if the caller can have none. */
const ownKey = async ({ people }: AccessMatrixWorld, who: CallerKind) => {
  const { body } = await people[who].post("/api/keys", newKey);
  return { id: body.success ? body.key.id : NO_ID };
};

/** Expected access to the endpoints of named keys (0050). */
export const apiKeyStatuses: AccessMatrix = {
  "POST /keys": [
    ["a new key", newKey, "200"],
    ["a wrong password", { ...newKey, password: "wrong password" }, "403 wrong_password"],
    ["no scope", { ...newKey, scopes: [] }, "400 invalid_input"],
  ],
  "PUT /keys": [
    ["an own key", async (world, who) => ({ ...(await ownKey(world, who)), name: "phone" }), "200"],
    ["an unknown key", { id: NO_ID, name: "phone" }, "404 api_key_not_found"],
    ["no name", { id: NO_ID }, "400 invalid_input"],
  ],
  "DELETE /keys": [
    ["an own key", ownKey, { authorized: "200", named: "403 scope_missing" }],
    [
      "an unknown key",
      { id: NO_ID },
      { authorized: "404 api_key_not_found", named: "403 scope_missing" },
    ],
    [
      "no id",
      {},
      { authorized: "400 invalid_input", named: "200" },
      { after: (world, who) => (who === "named" ? world.renewNamedKey() : undefined) },
    ],
  ],
};

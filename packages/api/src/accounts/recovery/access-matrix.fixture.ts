import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import { PASSWORD } from "../../testing/test-hub.ts";

const new_password = "a quieter battery";

/** The token of a new account's link to a new password. */
async function resetToken(world: AccessMatrixWorld): Promise<string> {
  const { name } = await world.member(world.newName());
  const link = await world.people.operator.post("/api/admin/reset-link", { username: name });
  return link.body.url.split("#")[1];
}

/** Expected access to the endpoints of a forgotten password (0059). */
export const recoveryStatuses: AccessMatrix = {
  "POST /forgot-password": [
    ["a username", { login: "mia" }, "200"],
    ["an address", { login: "mia@example.org" }, "200"],
    ["an unknown name", { login: "nobody-here" }, "200"],
  ],
  "POST /reset-password": [
    ["a link", async (world) => ({ token: await resetToken(world), new_password }), "200"],
    ["an unknown link", { token: "unknown", new_password }, "400 token_invalid"],
    ["a short password", { token: "unknown", new_password: "short" }, "400 invalid_input"],
  ],
  "POST /admin/reset-link": [
    ["an account", { username: "mia" }, "200"],
    ["an unknown user", { username: "nobody-here" }, "404 user_not_found"],
    ["9 days", { username: "mia", hours: 216 }, "400 invalid_input"],
    ["no account", { password: PASSWORD }, "400 invalid_input"],
  ],
};

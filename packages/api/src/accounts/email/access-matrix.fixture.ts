import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import { PASSWORD } from "../../testing/test-hub.ts";
import { makeLink } from "../links/account-links.ts";

/**
 * The token of a new account's link to another address. A link that verifies the present one could be
 * replaced by that of the registration, which is made in the background.
 */
async function addressToken(world: AccessMatrixWorld): Promise<string> {
  const username = world.newName();
  await world.member(username);
  const { db } = world.hub.database;
  const { id } = await db
    .selectFrom("accounts")
    .select("id")
    .where("username", "=", username)
    .executeTakeFirstOrThrow();
  const email = `new-${username}@example.org`;
  const link = { accountId: id, purpose: "change-email", email, hours: 1 } as const;
  return (await db.transaction().execute((tx) => makeLink(tx, link))).token;
}

/** Expected access to the endpoints of an account's address (0059). */
export const emailStatuses: AccessMatrix = {
  "POST /account-link": [
    ["a link", async (world) => ({ token: await addressToken(world) }), "200"],
    ["an unknown link", { token: "unknown" }, "400 token_invalid"],
  ],
  "POST /verify-email": [
    ["a link", async (world) => ({ token: await addressToken(world) }), "200"],
    ["an unknown link", { token: "unknown" }, "400 token_invalid"],
  ],
  "POST /change-email": [
    ["a new address", { email: "new@example.org", password: PASSWORD }, "200"],
    [
      "a wrong password",
      { email: "new@example.org", password: "wrong password" },
      "403 wrong_password",
    ],
    ["no proof", { email: "new@example.org" }, "403 wrong_password"],
    ["no address", { email: "new", password: PASSWORD }, "400 invalid_input"],
  ],
};

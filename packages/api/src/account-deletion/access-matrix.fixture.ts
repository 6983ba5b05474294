import { createAuthenticator } from "../accounts/passkeys/authenticator.fixture.ts";
import type { AccessMatrix } from "../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../testing/access/access-matrix-world.ts";
import type { CallerKind } from "../testing/access/caller-kinds.ts";
import { PASSWORD } from "../testing/test-hub.ts";

const forged = createAuthenticator("http://127.0.0.1").sign({ challenge: "AA" });
const choice = { souls: "delete", messages: "anonymise" };

/** Undoes every deletion, so that the actors keep their accounts. */
async function undoAll(world: AccessMatrixWorld, who: CallerKind): Promise<void> {
  const { db } = world.hub.database;
  const closed = await db
    .selectFrom("accounts")
    .select("username")
    .where("deletes_at", "is not", null)
    .execute();
  for (const { username } of closed) {
    await world.guest().post("/api/undo-deletion", { username, password: PASSWORD });
  }
  await world.signInAgain(who);
}

/** Returns the login of an account that waits for its deletion. */
export async function deletingLogin(world: AccessMatrixWorld) {
  const actor = await world.member(world.newName());
  await actor.post("/api/delete-account", { ...choice, password: PASSWORD });
  return { username: actor.name, password: PASSWORD };
}

/** Expected access to the endpoints of deletion (0063). */
export const deletionStatuses: AccessMatrix = {
  "POST /delete-account": [
    ["the right password", { ...choice, password: PASSWORD }, "200", { after: undoAll }],
    ["no proof", choice, "403 wrong_password"],
    ["a wrong passkey", { ...choice, passkey: forged }, "401 passkey_rejected"],
    ["no choice", { password: PASSWORD }, "400 invalid_input"],
  ],
  "POST /undo-deletion": [
    ["a closed account", deletingLogin, "200"],
    ["an open account", { username: "mia", password: PASSWORD }, "200"],
    ["a wrong password", { username: "mia", password: "wrong password" }, "401 wrong_credentials"],
    ["no password", { username: "mia" }, "400 invalid_input"],
  ],
};

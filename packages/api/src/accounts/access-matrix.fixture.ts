import { deletingLogin } from "../account-deletion/access-matrix.fixture.ts";
import type { AccessMatrix } from "../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../testing/access/access-matrix-world.ts";
import type { CallerKind } from "../testing/access/caller-kinds.ts";
import { createActor } from "../testing/actor.ts";
import { PASSWORD } from "../testing/test-hub.ts";

const NEXT_PASSWORD = "a quieter battery";

const registering =
  (fields: object = {}, mode: "open" | "invite" = "open") =>
  (world: AccessMatrixWorld) => {
    world.hub.config.registration = mode;
    const username = world.newName();
    return { username, password: PASSWORD, email: "somebody@example.org", ...fields };
  };
const change = {
  current_password: PASSWORD,
  new_password: NEXT_PASSWORD,
  confirm_password: NEXT_PASSWORD,
};

/**
 * Expected access to the account endpoints of specification §4.1 and to those that decision 0006
 * adds.
 */
export const accountStatuses: AccessMatrix = {
  "POST /register": [
    ["a new name", registering(), "200"],
    ["a taken name in another case", registering({ username: "ONA" }), "409 username_taken"],
    ["a reserved name", registering({ username: "admin" }), "409 username_taken"],
    ["without an invite that the hub needs", registering({}, "invite"), "403 registration_closed"],
    ["an unknown invite", registering({ invite: "unknown" }, "invite"), "400 invite_invalid"],
    ["no email", registering({ email: undefined }), "400 invalid_input"],
  ],
  "POST /login": [
    ["the right password", { username: "mia", password: PASSWORD, remember: true }, "200"],
    ["a wrong password", { username: "mia", password: NEXT_PASSWORD }, "401 wrong_credentials"],
    ["an unknown user", { username: "nobody-here", password: PASSWORD }, "401 wrong_credentials"],
    ["an account that will be deleted", deletingLogin, "403 account_deleting"],
    ["no password", { username: "mia" }, "400 invalid_input"],
  ],
  "POST /logout": [["at any time", {}, "200", { after: (world, who) => world.signInAgain(who) }]],
  "POST /change-password": [
    ["a new password", change, "200", { after: changeBack }],
    [
      "a wrong current password",
      { ...change, current_password: "wrong password" },
      "403 wrong_password",
    ],
    ["a different confirmation", { ...change, confirm_password: PASSWORD }, "400 invalid_input"],
    [
      "the current password as the new one",
      { ...change, new_password: PASSWORD, confirm_password: PASSWORD },
      "400 invalid_input",
    ],
  ],
  "POST /api-key/rotate": [["at any time", {}, "200", { after: takeNewKey }]],
  "POST /api-key": [
    ["the password", { password: PASSWORD }, "200"],
    ["a wrong password", { password: "wrong password" }, "403 wrong_password"],
  ],
  "DELETE /sessions": [
    [
      "at any time",
      {},
      "200",
      {
        after: (world, who) => (who === "owner" ? world.signInAgain("owner's page") : undefined),
      },
    ],
  ],
  "DELETE /sessions/{id}": [
    [
      "a session of the caller",
      async (world, who) => {
        const { user } = (await world.people[who].get("/api/me")).body;
        const login = { username: user?.username ?? "", password: PASSWORD, remember: true };
        await world.guest().post("/api/login", login);
        const { body } = await world.people[who].get("/api/sessions");
        const other = body.sessions?.find(({ current }: { current: boolean }) => !current);
        return { id: other?.id ?? "none" };
      },
      "200",
    ],
    ["an unknown session", { id: "unknown" }, "404 session_not_found"],
  ],
};

/**
 * Restores the original password for the next test case. The password change ended the owner's
 * session, so the owner signs in again.
 */
async function changeBack(world: AccessMatrixWorld, who: CallerKind) {
  await world.people[who].post("/api/change-password", {
    current_password: NEXT_PASSWORD,
    new_password: PASSWORD,
    confirm_password: PASSWORD,
  });
  if (who === "owner") await world.signInAgain("owner's page");
}

/** Replaces the API key of a test user after a rotation, which revoked the previous key. */
async function takeNewKey(world: AccessMatrixWorld, who: CallerKind) {
  if (who === "named") return;
  const { name } = world.people[who];
  const login = { username: name, password: PASSWORD };
  const { body } = await world.guest().post("/api/login", login);
  if (body.success)
    world.people[who] = createActor({ name, apiKey: body.api_key, baseUrl: () => world.url });
}

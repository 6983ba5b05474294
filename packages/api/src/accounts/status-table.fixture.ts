import { createActor } from "../testing/actor.ts";
import type { StatusTable } from "../testing/status-table.ts";
import type { StatusWorld } from "../testing/status-world.ts";
import { PASSWORD } from "../testing/test-hub.ts";
import type { Who } from "../testing/who.ts";

const NEXT_PASSWORD = "a quieter battery";

const registration = (world: StatusWorld) => ({
  username: world.newName(),
  password: PASSWORD,
  email: "somebody@example.org",
});
const change = {
  current_password: PASSWORD,
  new_password: NEXT_PASSWORD,
  confirm_password: NEXT_PASSWORD,
};

/** Specification §4.1, and what the decisions add to it. */
export const accountStatuses: StatusTable = {
  "POST /register": [
    ["a new name", registration, { everybody: "200" }],
    [
      "a name that is taken, in other letters",
      (world) => ({ ...registration(world), username: "ONA" }),
      { everybody: "409 username_taken" },
    ],
    [
      "a reserved name",
      (world) => ({ ...registration(world), username: "admin" }),
      { everybody: "409 username_taken" },
    ],
    [
      "no email",
      (world) => ({ ...registration(world), email: undefined }),
      { everybody: "400 invalid_input" },
    ],
  ],

  "POST /login": [
    [
      "the right password",
      { username: "mia", password: PASSWORD, remember: true },
      { everybody: "200" },
    ],
    [
      "a wrong password",
      { username: "mia", password: NEXT_PASSWORD },
      { everybody: "401 wrong_credentials" },
    ],
    [
      "an unknown user",
      { username: "nobody-here", password: PASSWORD },
      { everybody: "401 wrong_credentials" },
    ],
    ["no password", { username: "mia" }, { everybody: "400 invalid_input" }],
  ],

  "POST /logout": [
    [
      "at any time",
      {},
      { everybody: "200" },
      {
        after: (world, who) =>
          who === "member" || who === "owner's page" ? world.signIn(who) : undefined,
      },
    ],
  ],

  "POST /change-password": [
    ["another password", change, { everybody: "200" }, { after: changeBack }],
    [
      "a wrong current password",
      { ...change, current_password: "wrong password" },
      { everybody: "403 wrong_password" },
    ],
    [
      "another confirmation",
      { ...change, confirm_password: PASSWORD },
      { everybody: "400 invalid_input" },
    ],
    [
      "the current password anew",
      { ...change, new_password: PASSWORD, confirm_password: PASSWORD },
      { everybody: "400 invalid_input" },
    ],
  ],

  "POST /api-key/rotate": [["at any time", {}, { everybody: "200" }, { after: takeNewKey }]],

  "POST /api-key": [
    ["the password", { password: PASSWORD }, { everybody: "200" }],
    ["a wrong password", { password: "wrong password" }, { everybody: "403 wrong_password" }],
    ["no password", {}, { everybody: "400 invalid_input" }],
  ],

  "GET /sessions": [["at any time", {}, { everybody: "200" }]],

  "DELETE /sessions": [
    [
      "at any time",
      {},
      { everybody: "200" },
      {
        after: (world, who) => (who === "owner" ? world.signIn("owner's page") : undefined),
      },
    ],
  ],

  "GET /me": [["at any time", {}, { everybody: "200" }]],
};

/** The next row comes with the same password; the owner's page was signed out by the change. */
async function changeBack(world: StatusWorld, who: Who) {
  await world.people[who].post("/api/change-password", {
    current_password: NEXT_PASSWORD,
    new_password: PASSWORD,
    confirm_password: PASSWORD,
  });
  if (who === "owner") await world.signIn("owner's page");
}

/** The old key is dead; the password brings the new one. */
async function takeNewKey(world: StatusWorld, who: Who) {
  const { name } = world.people[who];
  const login = { username: name, password: PASSWORD };
  const { body } = await world.guest().post("/api/login", login);
  if (body.success)
    world.people[who] = createActor({ name, apiKey: body.api_key, baseUrl: () => world.url });
}

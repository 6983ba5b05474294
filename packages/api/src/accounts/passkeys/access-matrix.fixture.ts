import { sql } from "kysely";
import type { AccessMatrix } from "../../testing/access/access-matrix.ts";
import type { AccessMatrixWorld } from "../../testing/access/access-matrix-world.ts";
import type { CallerKind } from "../../testing/access/caller-kinds.ts";
import { NO_ID } from "../../testing/access/requests.ts";
import { PASSWORD } from "../../testing/test-hub.ts";
import { addPasskeyTo, createAuthenticator, optionsFor } from "./authenticator.fixture.ts";

const unasked = { challenge: "AA", user: { id: "MQ" } };
const stray = createAuthenticator("http://127.0.0.1");

/** The answer of a new device. A caller without options sends an unrequested answer. */
const newDevice = async ({ url, people }: AccessMatrixWorld, who: CallerKind) => {
  const { body } = await people[who].post("/api/passkeys/options", { purpose: "add" });
  return createAuthenticator(url).create(body.success ? body.options : unasked);
};

const withProof = (proof: object) => async (world: AccessMatrixWorld, who: CallerKind) => ({
  response: await newDevice(world, who),
  name: "my phone",
  ...proof,
});

/** The id of a new passkey of the caller; that of no passkey if the caller can have none. */
const ownPasskey = async (world: AccessMatrixWorld, who: CallerKind) => {
  const body = await withProof({ password: PASSWORD })(world, who);
  const answer = await world.people[who].post("/api/passkeys", body);
  return answer.body.success ? answer.body.passkey.id : NO_ID;
};

const removeAll = {
  after: async ({ hub }: AccessMatrixWorld) => {
    await hub.database.db.deleteFrom("passkeys").execute();
  },
};

/** Fills up the passkeys of the actor `owner`. */
const fillUp = ({ hub }: AccessMatrixWorld) =>
  sql`insert into passkeys (account_id, name, credential_id, public_key, counter, rp_id)
    select accounts.id, 'old', 'old-' || number, 'AA', 0, '127.0.0.1'
    from accounts, generate_series(1, 10) as number where username = 'ona'`.execute(
    hub.database.db,
  );

const rejected = { passkey: stray.sign(unasked) };

/** Expected access to the endpoints of passkeys (0060). */
export const passkeyStatuses: AccessMatrix = {
  "POST /passkeys/options": [
    ["a sign-in", { purpose: "sign-in" }, "200"],
    [
      "a new passkey",
      { purpose: "add" },
      {
        authorized: "200",
        nobody: "401 unauthenticated",
        guest: "401 unauthenticated",
        suspended: "403 account_suspended",
      },
    ],
    [
      "a new passkey, with a wrong password",
      { purpose: "add", password: "not the password" },
      { member: "403 wrong_password", owner: "403 wrong_password" },
    ],
    [
      "an eleventh passkey",
      async (world) => {
        await fillUp(world);
        return { purpose: "add" };
      },
      { owner: "409 too_many_passkeys" },
      removeAll,
    ],
  ],
  "POST /passkeys": [
    ["a new passkey", withProof({ password: PASSWORD }), "200", removeAll],
    ["a wrong password", withProof({ password: "wrong password" }), "403 wrong_password"],
    ["an unknown passkey as proof", withProof(rejected), "401 passkey_rejected"],
    [
      "an answer that was not asked for",
      { response: stray.create(unasked), name: "my phone", password: PASSWORD },
      "401 passkey_rejected",
    ],
    [
      "an eleventh passkey",
      async (world, who) => {
        const body = await withProof({ password: PASSWORD })(world, who);
        await fillUp(world);
        return body;
      },
      { owner: "409 too_many_passkeys" },
      removeAll,
    ],
    ["no name", { response: stray.create(unasked) }, "400 invalid_input"],
  ],
  "DELETE /passkeys/{id}": [
    [
      "an own passkey",
      async (world, who) => ({ id: await ownPasskey(world, who), password: PASSWORD }),
      "200",
      removeAll,
    ],
    ["an unknown passkey", { id: NO_ID, password: PASSWORD }, "404 passkey_not_found"],
    ["a wrong password", { id: NO_ID, password: "wrong password" }, "403 wrong_password"],
    ["an unknown passkey as proof", { id: NO_ID, ...rejected }, "401 passkey_rejected"],
    ["no id", { id: "x" }, "400 invalid_input"],
  ],
  "POST /passkey-login": [
    [
      "a passkey",
      async ({ url, guest, people }) => {
        const device = createAuthenticator(url);
        await addPasskeyTo(people.owner, device);
        return { response: device.sign(await optionsFor(guest(), "sign-in")) };
      },
      "200",
      removeAll,
    ],
    [
      "a passkey of an account that will be deleted",
      async (world) => {
        const device = createAuthenticator(world.url);
        const actor = await world.member(world.newName());
        await addPasskeyTo(actor, device);
        const choice = { souls: "delete", messages: "anonymise", password: PASSWORD };
        await actor.post("/api/delete-account", choice);
        return { response: device.sign(await optionsFor(world.guest(), "sign-in")) };
      },
      "403 account_deleting",
    ],
    ["an answer that was not asked for", { response: stray.sign(unasked) }, "401 passkey_rejected"],
  ],
};

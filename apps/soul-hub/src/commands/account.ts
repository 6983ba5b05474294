import { hostname } from "node:os";
import { assertHub, Failure } from "@soul-hub/program";
import { checkedKey, originOf, removeConfig, targetOf, writeConfig } from "../config.ts";
import { failureOf, type Hub, withHub } from "../hub/hub.ts";
import { withMainKey } from "../hub/main-key.ts";
import { type Command, onHub, type Session } from "../hub/session.ts";
import { readStdin } from "../terminal/prompt.ts";
import { type KeyScope, keyScopes } from "./keys.ts";

const MAX_NAME_CHARS = 60;

interface LoginOptions {
  url?: string | undefined;
  keyStdin?: true | undefined;
}

/**
 * Keeps a key for a hub: one that it makes with the account's password, or one from stdin. A key
 * that an earlier login made is revoked.
 */
export const login =
  ({ url, keyStdin }: LoginOptions): Command =>
  async (session) => {
    const hub = url ? originOf(url) : session.target.url;
    const { username, ...kept } = keyStdin
      ? await keepGivenKey(session, hub)
      : await makeKey(session, hub);
    const former = session.config;
    await writeConfig(session.env, { hub, ...kept });
    if (former?.is_made) await revoke(former).catch(() => {});
    const who = username === null ? "" : ` as ${username}`;
    return {
      json: { hub, username, is_made: kept.is_made },
      lines: [`Logged in to ${hub}${who}.`],
      notes: session.env.key ? ["SOUL_HUB_KEY is set, and wins over this login."] : [],
    };
  };

/** Makes a key that is named after this machine, so that its owner can tell it in the settings. */
const makeKey = (session: Session, url: string) =>
  withMainKey(session, url, async ({ client }, { username, password }) => {
    const name = hostname().slice(0, MAX_NAME_CHARS) || "soul-hub";
    const scopes: KeyScope[] = [...keyScopes];
    const { api_key } = await client.accounts.createKey.mutate({ name, scopes, password });
    return { username, key: api_key, is_made: true };
  });

async function keepGivenKey({ terminal }: Session, url: string) {
  const key = checkedKey((await readStdin(terminal)).trim());
  await assertHub(url);
  const username = await withHub({ url, key }, usernameOf);
  return { username, key, is_made: false };
}

/** Null for a key that may not read its account. */
const usernameOf = ({ client, url }: Hub): Promise<string | null> =>
  client.accounts.me.query().then(
    ({ user }) => user.username,
    (error: unknown) => unless("scope_missing", failureOf(error, url), null),
  );

/** @throws the error, unless it is a failure with this code */
function unless<Value>(code: string, error: unknown, value: Value): Value {
  if (error instanceof Failure && error.code === code) return value;
  throw error;
}

/** Revokes the key that `login` made, and forgets it. A key from stdin is only forgotten. */
export const logout: Command = async ({ env, config }) => {
  if (!config) return { json: { hub: null, revoked: false }, lines: ["You are not logged in."] };
  const revoked = config.is_made && (await revoke(config));
  await removeConfig(env);
  const done = revoked ? "The key is revoked." : "The key is forgotten.";
  return {
    json: { hub: config.hub, revoked },
    lines: [`Logged out of ${config.hub}. ${done}`],
    notes: env.key ? ["SOUL_HUB_KEY is still set."] : [],
  };
};

/** @returns false if the key was revoked before */
const revoke = ({ hub: url, key }: { hub: string; key: string }): Promise<boolean> =>
  withHub({ url, key }, ({ client }) => client.accounts.revokeKey.mutate({})).then(
    () => true,
    (error: unknown) => unless("unauthenticated", error, false),
  );

export const whoAmI: Command = onHub(async ({ client, url }, { env, config }) => {
  const { user } = await client.accounts.me.query();
  const pass = user.tier === "free" ? "" : `, ${user.tier} until ${user.pass_expires_at} UTC`;
  const source = targetOf(env, config).key === config?.key ? "the key of login" : "SOUL_HUB_KEY";
  return { json: { hub: url, user }, lines: [`${user.username} at ${url}${pass} (by ${source})`] };
});

import { rm, writeFile } from "node:fs/promises";
import type { HubClient } from "@soul-hub/client";
import { withMainKey } from "../hub/main-key.ts";
import type { Command } from "../hub/session.ts";
import { tableLines } from "../terminal/table.ts";

type CreateKey = HubClient["client"]["accounts"]["createKey"]["mutate"];
export type KeyScope = Parameters<CreateKey>[0]["scopes"][number];

/** What a named key may be allowed to do. */
export const keyScopes = [
  "souls:read",
  "souls:write",
  "chat",
  "social",
  "account:read",
] as const satisfies readonly KeyScope[];

export const listKeys: Command = (session) =>
  withMainKey(session, session.target.url, async ({ client }) => {
    const { keys } = await client.accounts.keys.query();
    const rows = keys.map((key) => [
      key.id,
      key.name,
      `${key.prefix}…`,
      key.is_main ? "all" : key.scopes.join(" "),
      key.last_used_at,
      key.expires_at,
    ]);
    const titles = ["id", "name", "begins", "may", "last used (UTC)", "expires (UTC)"];
    return { json: { keys }, lines: tableLines(titles, rows) };
  });

interface NewKey {
  scope: KeyScope[];
  /** Path of the file to which the command writes the key. The output contains no key. */
  out: string;
  expires?: string | undefined;
}

export const createKey =
  (name: string, { scope: scopes, out, expires }: NewKey): Command =>
  (session) =>
    withMainKey(session, session.target.url, async ({ client }, { password }) => {
      // An unwritable file is found before the key is made.
      await writeFile(out, "", { mode: 0o600, flag: "wx" });
      const given = { name, scopes, password, ...(expires && { expires_at: expires }) };
      const { api_key, key } = await client.accounts.createKey
        .mutate(given)
        .catch(async (error: unknown) => {
          await rm(out);
          throw error;
        });
      await writeFile(out, `${api_key}\n`);
      return { json: { key, file: out }, lines: [`The key “${key.name}” is in ${out}.`] };
    });

export const revokeKey =
  (id: number): Command =>
  (session) =>
    withMainKey(session, session.target.url, async ({ client }) => {
      const { message } = await client.accounts.revokeKey.mutate({ id });
      return { json: { message }, lines: [message] };
    });

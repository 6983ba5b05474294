import { sql } from "kysely";
import { API_KEY_PURPOSE } from "../../accounts/api-key.ts";
import type { CallContext } from "../../context.ts";
import { PROVIDER_KEY_PURPOSE } from "../byok/stored-key.ts";
import { TOKEN_PURPOSE } from "../room-key.ts";
import { rewrapColumn, type SealedColumn } from "./rewrap-column.ts";

/** Everything the vault seals. A test looks through the whole database for what is missing here. */
const sealedColumns = {
  api_keys: {
    table: "accounts",
    column: "api_key_sealed",
    purpose: API_KEY_PURPOSE,
    bind: sql<string>`username_key`,
  },
  session_tokens: {
    table: "chat_rooms",
    column: "token_sealed",
    purpose: TOKEN_PURPOSE,
    bind: sql<string>`soul_id::text`,
  },
  provider_keys: {
    table: "provider_keys",
    column: "api_key_sealed",
    purpose: PROVIDER_KEY_PURPOSE,
    bind: sql<string>`account_id || '/' || provider`,
  },
} satisfies Record<string, SealedColumn>;

type SecretKind = keyof typeof sealedColumns;

/**
 * Seals every stored secret anew with the first master key (decisions §5, Envelope), so that the
 * older ones can be taken away. Beside a running hub, as often as one likes.
 */
export async function rotateKeys({ hub, db }: CallContext, leaves: AbortSignal | undefined) {
  const rewrapped: Record<SecretKind, number> = {
    api_keys: 0,
    session_tokens: 0,
    provider_keys: 0,
  };
  const unreadable = { ...rewrapped };
  const throwIfStopped = () => {
    hub.stopping.throwIfAborted();
    leaves?.throwIfAborted();
  };
  for (const kind of Object.keys(sealedColumns) as SecretKind[]) {
    const count = await rewrapColumn({ db, vault: hub.vault, throwIfStopped }, sealedColumns[kind]);
    rewrapped[kind] = count.rewrapped;
    unreadable[kind] = count.unreadable;
  }
  hub.log.info(
    { rewrapped, unreadable },
    "the stored secrets are sealed with the first master key",
  );
  return { message: inWords(sum(rewrapped), sum(unreadable)), rewrapped, unreadable };
}

const sum = (counts: Record<SecretKind, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

function inWords(rewrapped: number, unreadable: number): string {
  const done = `${rewrapped} stored ${rewrapped === 1 ? "secret was" : "secrets were"} sealed anew with the first master key.`;
  return unreadable === 0
    ? `${done} The older keys are no longer needed for any.`
    : `${done} ${unreadable} can't be opened with any key of the ring: put the missing key back and try again.`;
}

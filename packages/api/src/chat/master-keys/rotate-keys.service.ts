import { sql } from "kysely";
import { API_KEY_PURPOSE } from "../../accounts/api-key.ts";
import { NAME_KEY_PURPOSE } from "../../accounts/deleted-names/deleted-names.ts";
import { actorOf, writeAudit } from "../../audit/write-audit.ts";
import type { CallContext } from "../../context.ts";
import { MAIL_PURPOSE } from "../../mail/waiting-mails.queries.ts";
import { PROVIDER_KEY_PURPOSE } from "../byok/stored-key.ts";
import { INVITE_PURPOSE } from "../people/invites.service.ts";
import { TOKEN_PURPOSE } from "../rows/room-key.ts";
import { EVIDENCE_PURPOSE } from "./evidence-purpose.ts";
import { rewrapColumn, type SealedColumn } from "./rewrap-column.ts";

/** Every column that the vault encrypts. A test searches the whole database for missing ones. */
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
  invites: {
    table: "room_invites",
    column: "invite_sealed",
    purpose: INVITE_PURPOSE,
    bind: sql<string>`room_id::text`,
  },
  deleted_name_keys: {
    table: "deleted_name_keys",
    column: "key_sealed",
    purpose: NAME_KEY_PURPOSE,
    bind: sql<string>`id::text`,
  },
  evidence: {
    table: "mod_evidence",
    column: "sealed",
    purpose: EVIDENCE_PURPOSE,
    bind: sql<string>`case_id::text`,
  },
  mails: {
    table: "waiting_mails",
    column: "sealed",
    purpose: MAIL_PURPOSE,
    bind: sql<string>`account_id::text`,
  },
} satisfies Record<string, SealedColumn>;

type SecretKind = keyof typeof sealedColumns;

/**
 * Re-encrypts every stored secret with the first master key (decisions §5, Envelope), so that the
 * older keys can be removed. It can run beside a live hub and be repeated.
 * @param disconnected aborts when the caller disconnects, which stops the rotation
 */
export async function rotateKeys(
  { hub, db, caller }: CallContext,
  disconnected: AbortSignal | undefined,
) {
  const rewrapped: Record<SecretKind, number> = {
    api_keys: 0,
    session_tokens: 0,
    provider_keys: 0,
    invites: 0,
    deleted_name_keys: 0,
    evidence: 0,
    mails: 0,
  };
  const unreadable = { ...rewrapped };
  const throwIfStopped = () => {
    hub.stopping.throwIfAborted();
    disconnected?.throwIfAborted();
  };
  for (const kind of Object.keys(sealedColumns) as SecretKind[]) {
    const count = await rewrapColumn({ db, vault: hub.vault, throwIfStopped }, sealedColumns[kind]);
    rewrapped[kind] = count.rewrapped;
    unreadable[kind] = count.unreadable;
  }
  const detail = { rewrapped, unreadable };
  await writeAudit(db, { actor: actorOf(caller), action: "rotate-keys", target: "hub", detail });
  hub.log.info({ rewrapped, unreadable }, "stored secrets use the first master key");
  return { message: describe(sum(rewrapped), sum(unreadable)), rewrapped, unreadable };
}

const sum = (counts: Record<SecretKind, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

function describe(rewrapped: number, unreadable: number): string {
  const done = `${rewrapped} stored ${rewrapped === 1 ? "secret was" : "secrets were"} re-encrypted with the first master key.`;
  return unreadable === 0
    ? `${done} The older keys are no longer needed.`
    : `${done} ${unreadable} cannot be decrypted with any master key: restore the missing key and try again.`;
}

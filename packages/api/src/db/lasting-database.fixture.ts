import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { connectDatabase } from "../tables/connect.ts";
import { ownPostgresDatabase } from "../testing/own-database.ts";
import { copyEmbeddedTemplate, type DatabaseKind } from "../testing/test-database.ts";
import type { DatabaseOptions, Db } from "./database.ts";

/** A database that keeps its data between connections. */
export interface LastingDatabase extends AsyncDisposable {
  options: DatabaseOptions;
  /** Opens the database, which also migrates it, runs `work`, then closes the database. */
  open<T>(work: (db: Db, id: string) => Promise<T>): Promise<T>;
}

/** Creates a lasting database: empty on PostgreSQL, a copy of the template if embedded. */
export async function lastingDatabase(kind: DatabaseKind): Promise<LastingDatabase> {
  await using made = new AsyncDisposableStack();
  let options: DatabaseOptions;
  if (kind === "postgresql") {
    const { url } = made.use(await ownPostgresDatabase("none"));
    options = { url };
  } else {
    const directory = await mkdtemp(path.join(tmpdir(), "hub-migrations-"));
    made.defer(() => rm(directory, { recursive: true }));
    await copyEmbeddedTemplate(directory);
    options = { directory };
  }
  const kept = made.move();
  return {
    options,
    async open(work) {
      const database = await connectDatabase(options);
      return work(database.db, database.id).finally(() => database.close());
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Takes back the migrations after the first one, as the first release left a database. */
export async function revertToFirstRelease(db: Db): Promise<void> {
  await sql`drop table mod_decisions, mod_evidence, mod_reports, mod_cases, soul_holds, blocks,
    account_deletions, deleted_accounts, deleted_name_keys, waiting_mails, reserved_rooms, claimed_guests`.execute(
    db,
  );
  await sql`drop table vector_model, soul_vectors, soul_terms, soul_word_changes`.execute(db);
  await sql`drop function note_soul_text cascade`.execute(db);
  await sql`drop function public_words`.execute(db);
  await sql`drop table hub_schema, hub_identity`.execute(db);
  await sql`alter table souls drop column version, drop column version_note,
    drop column signature, drop column package_id, drop column is_listed,
    drop column deleted_at`.execute(db);
  await sql`alter table soul_versions drop column number, drop column note,
    drop column is_hidden, drop column signature, drop column package_id`.execute(db);
  await sql`drop table passkeys, passkey_challenges`.execute(db);
  await sql`drop table account_links, api_keys, archive_imports, audit_log, invites, package_files,
    package_blobs, soul_packages`.execute(db);
  await sql`alter table accounts
    drop column api_key_created_at, drop column api_key_used_at, drop column email_verified_at,
    drop column role, drop column suspension, drop column silence,
    drop column deletes_at, drop column notices_seen_to`.execute(db);
  await sql`alter table sessions drop column label, drop column last_used_at`.execute(db);
  await sql`drop table message_reactions, room_summaries,
    room_people, room_invites, room_shares`.execute(db);
  await sql`alter table chat_messages
    drop column parent_id, drop column made_by, drop column audience, drop column revision,
    drop column edited_at, drop column edited_by, drop column removed_at,
    drop column imported, drop column removed_by`.execute(db);
  await sql`alter table chat_rooms
    drop column revision, drop column active_id, drop column path_epoch, drop column is_branched,
    drop column title, drop column answers, drop column talk, drop column souls,
    drop column is_closed, drop column copied_from, drop column copied_to`.execute(db);
  await sql`delete from mikro_orm_migrations where name <> '0001-initial-schema'`.execute(db);
}

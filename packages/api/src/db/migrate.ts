import type { MikroORM } from "@mikro-orm/sql";
import type { Db } from "./database.ts";
import { renewCopiedIdentity } from "./identity.ts";
import { InitialSchema } from "./migrations/0001-0009/0001-initial-schema.ts";
import { SchemaVersion } from "./migrations/0001-0009/0002-schema-version.ts";
import { NumberedVersions } from "./migrations/0001-0009/0003-numbered-versions.ts";
import { VersionNumberIndex } from "./migrations/0001-0009/0004-version-number-index.ts";
import { UnnumberedVersionsIndex } from "./migrations/0001-0009/0005-unnumbered-versions-index.ts";
import { Trees } from "./migrations/0001-0009/0006-trees.ts";
import { ChangedMessagesIndex } from "./migrations/0001-0009/0007-changed-messages-index.ts";
import { BranchesIndex } from "./migrations/0001-0009/0008-branches-index.ts";
import { People } from "./migrations/0001-0009/0009-people.ts";
import { GuestSoulsIndex } from "./migrations/0010-0019/0010-guest-souls-index.ts";
import { AddressedMessagesIndex } from "./migrations/0010-0019/0011-addressed-messages-index.ts";
import { NamedKeys } from "./migrations/0010-0019/0012-named-keys.ts";
import { Packages } from "./migrations/0010-0019/0013-packages.ts";
import { PackagesOfSoulsIndex } from "./migrations/0010-0019/0014-packages-of-souls-index.ts";
import { PackagesOfVersionsIndex } from "./migrations/0010-0019/0015-packages-of-versions-index.ts";
import { ArchiveImports } from "./migrations/0010-0019/0016-archive-imports.ts";
import { Trust } from "./migrations/0010-0019/0017-trust.ts";
import { AccountLinks } from "./migrations/0010-0019/0018-account-links.ts";
import { Passkeys } from "./migrations/0010-0019/0019-passkeys.ts";
import { SoulHolds } from "./migrations/0020-0029/0020-soul-holds.ts";
import { Moderation } from "./migrations/0020-0029/0021-moderation.ts";
import { AccountDeletions } from "./migrations/0020-0029/0022-account-deletions.ts";
import { Blocks } from "./migrations/0020-0029/0023-blocks.ts";
import { AccountEmailsIndex } from "./migrations/0020-0029/0024-account-emails-index.ts";
import { WatchedAccountsIndex } from "./migrations/0020-0029/0025-watched-accounts-index.ts";
import { WaitingMails } from "./migrations/0020-0029/0026-waiting-mails.ts";
import { DeletedSouls } from "./migrations/0020-0029/0027-deleted-souls.ts";
import { ReservedRooms } from "./migrations/0020-0029/0028-reserved-rooms.ts";
import { DeletedSoulsIndex } from "./migrations/0020-0029/0029-deleted-souls-index.ts";
import { ClaimedGuests } from "./migrations/0030-0039/0030-claimed-guests.ts";
import { SeenNotices } from "./migrations/0030-0039/0031-seen-notices.ts";
import { HiddenRooms } from "./migrations/0030-0039/0032-hidden-rooms.ts";
import { SoulSearch } from "./migrations/0030-0039/0033-soul-search.ts";
import { raiseSchemaVersion, readSchemaVersion } from "./schema-version/schema-version.ts";
import { updateSqlFunctions } from "./sql-functions.ts";

/** The migrations, in the order in which they run. Their number is the schema version of the app. */
export const migrations = [
  InitialSchema,
  SchemaVersion,
  NumberedVersions,
  VersionNumberIndex,
  UnnumberedVersionsIndex,
  Trees,
  ChangedMessagesIndex,
  BranchesIndex,
  People,
  GuestSoulsIndex,
  AddressedMessagesIndex,
  NamedKeys,
  Packages,
  PackagesOfSoulsIndex,
  PackagesOfVersionsIndex,
  ArchiveImports,
  Trust,
  AccountLinks,
  Passkeys,
  SoulHolds,
  Moderation,
  AccountDeletions,
  Blocks,
  AccountEmailsIndex,
  WatchedAccountsIndex,
  WaitingMails,
  DeletedSouls,
  ReservedRooms,
  DeletedSoulsIndex,
  ClaimedGuests,
  SeenNotices,
  HiddenRooms,
  SoulSearch,
];

/**
 * The schema version of the oldest app that can still run on this schema. A migration that removes
 * something raises it. An app before this one refuses such a database (0030).
 */
export const OLDEST_APP = 1;

/**
 * Brings tables and SQL functions up to date. A database with a newer schema is left alone, since
 * servers of two releases share it during an upgrade.
 * @throws Error for a database from before the first release, with code `UNRELEASED_SCHEMA`, and
 * for a schema that needs a newer app, with code `SCHEMA_TOO_NEW`
 */
export async function migrate(orm: MikroORM, db: Db): Promise<void> {
  const executed = await orm.migrator.getExecuted();
  const [first] = executed;
  if (first && first.name !== InitialSchema.migrationName) {
    throw Object.assign(
      new Error(
        "This database is from a version of Soul Hub before the first release and cannot be upgraded (0026).",
      ),
      { code: "UNRELEASED_SCHEMA" },
    );
  }
  // A database of the first release has only one migration, and no version.
  if (executed.length > 1) await refuseTooNew(db);
  await orm.migrator.up();
  if (executed.length <= migrations.length) await updateSqlFunctions(db);
  await raiseSchemaVersion(db, { version: migrations.length, oldest_app: OLDEST_APP });
  await renewCopiedIdentity(db);
}

async function refuseTooNew(db: Db): Promise<void> {
  const { version, oldest_app } = await readSchemaVersion(db);
  if (oldest_app <= migrations.length) return;
  throw Object.assign(
    new Error(
      `The database has schema ${version}, which needs an app of schema ${oldest_app} or later. This app has schema ${migrations.length}.`,
    ),
    { code: "SCHEMA_TOO_NEW" },
  );
}

import { describe, expect, it } from "vitest";
import type { CopyPort } from "../archive/copy-port.ts";
import { embeddedTarget, postgresTarget } from "../archive/restore-target.ts";
import { ownPostgresDatabase } from "../testing/own-database.ts";
import { testDatabases } from "../testing/test-database.ts";
import { carryDeletions } from "./carry-deletions.ts";

const CREATED = "2031-01-01 12:00:00.123456+00";

/** Adds accounts with the ids from 1. */
async function addAccounts({ query }: CopyPort, created: Record<string, string>): Promise<void> {
  for (const [nth, [name, at]] of Object.entries(created).entries()) {
    await query(
      "insert into accounts (id, username, username_key, created_at) values ($1, $2, $2, $3)",
      [nth + 1, name, at],
    );
  }
}

/** A restore deletes accounts again whose deletion the backup does not know (0063). */
describe.each(testDatabases())("deletions beside a restore on %s", (kind) => {
  const open = async (opened: AsyncDisposableStack) => {
    const target =
      kind === "pglite"
        ? await embeddedTarget()
        : await postgresTarget(opened.use(await ownPostgresDatabase("none")).url, "public");
    opened.use(target);
    await target.migrateToNewest();
    return target.port;
  };

  it("are those of accounts with the same id and time of creation", async () => {
    await using opened = new AsyncDisposableStack();
    const [former, restored] = [await open(opened), await open(opened)];
    // "gone" was deleted since the backup, "going" waits, "new" got its id after another restore.
    await addAccounts(former, { stays: CREATED, going: CREATED });
    await former.query(
      "insert into account_deletions (account_id, souls, messages) values (2, 'keep', 'erase')",
    );
    await former.query("update accounts set deletes_at = '2031-02-01 00:00+00' where id = 2");
    await former.query(
      `insert into deleted_accounts
        (account_id, account_created_at, name_hash, souls, messages, deleted_at)
      values (3, $1, 'hash of gone', 'delete', 'anonymise', '2031-01-20 00:00+00'),
        (4, $1, 'hash of another', 'delete', 'anonymise', '2031-01-20 00:00+00')`,
      [CREATED],
    );
    await former.query("insert into deleted_name_keys (id, key_sealed) values (1, 'sealed')");
    await addAccounts(restored, {
      stays: CREATED,
      going: CREATED,
      gone: CREATED,
      new: "2031-01-25 12:00:00+00",
    });

    await carryDeletions(former, restored);
    await carryDeletions(former, restored);
    expect(
      await restored.query(
        `select username, souls, messages, deletes_at::text as at from account_deletions
        join accounts on accounts.id = account_id order by account_id`,
      ),
    ).toEqual([
      { username: "going", souls: "keep", messages: "erase", at: "2031-02-01 00:00:00+00" },
      { username: "gone", souls: "delete", messages: "anonymise", at: "2031-01-20 00:00:00+00" },
    ]);
    expect(
      await restored.query("select name_hash from deleted_accounts order by account_id"),
    ).toEqual([{ name_hash: "hash of gone" }, { name_hash: "hash of another" }]);
    expect(await restored.query("select key_sealed from deleted_name_keys")).toHaveLength(1);
    const added = "insert into accounts (username, username_key) values ('x', 'x')";
    expect(await restored.query(`${added} returning id > 4 as is_new`)).toEqual([{ is_new: true }]);
  });

  it("that were undone since the backup can be undone again", async () => {
    await using opened = new AsyncDisposableStack();
    const [former, restored] = [await open(opened), await open(opened)];
    await addAccounts(former, { undid: CREATED });
    await addAccounts(restored, { undid: CREATED, waits: CREATED });
    await restored.query(
      `insert into account_deletions (account_id, souls, messages)
      select id, 'delete', 'erase' from accounts`,
    );
    await restored.query("update accounts set deletes_at = now() - interval '1 day'");
    await carryDeletions(former, restored);
    expect(
      await restored.query(
        `select username, deletes_at > now() + interval '13 days' as may_undo
        from accounts join account_deletions on account_id = id order by id`,
      ),
    ).toEqual([
      { username: "undid", may_undo: true },
      { username: "waits", may_undo: false },
    ]);
  });

  it("are none where the former data is of an older release", async () => {
    await using opened = new AsyncDisposableStack();
    const [former, restored] = [await open(opened), await open(opened)];
    await addAccounts(restored, { stays: CREATED });
    await former.query("drop table deleted_accounts");
    await carryDeletions(former, restored);
    expect(await restored.query("select account_id from account_deletions")).toEqual([]);
  });
});

import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CopyPort } from "../archive/copy-port.ts";
import { pgliteCopy } from "../archive/pglite-copy.ts";
import { postgresCopy } from "../archive/postgres-copy.ts";
import { openArchiveFile } from "../archive/read-archive.ts";
import { embeddedTarget } from "../archive/restore-target.ts";
import { writeArchive } from "../archive/write-archive.ts";
import { openPglite } from "../db/drivers/pglite.ts";
import { createPostgresDatabase } from "../testing/own-database.ts";
import { testDatabases } from "../testing/test-database.ts";
import { restoreBackup } from "./restore-backup.ts";
import { restorePostgres } from "./restore-postgres.ts";

/** Mails that wait in a backup (0028, 0059). */
describe.each(testDatabases())("a mail that waits in a backup, restored on %s", (kind) => {
  it("is not sent by the restored hub; a move takes it along", async () => {
    await using opened = new AsyncDisposableStack();
    const place = await mkdtemp(path.join(tmpdir(), "soul-hub-mails-"));
    opened.defer(() => rm(place, { recursive: true }));
    const file = path.join(place, "hub.hub");
    const source = opened.use(await embeddedTarget());
    await source.migrateToNewest();
    await source.port.query("insert into accounts (username, username_key) values ('ada', 'ada')");
    await source.port.query(
      "insert into waiting_mails (account_id, sealed) select id, 'sealed' from accounts",
    );
    await writeArchive(source.port, { app: "0.1.0", keys: [] }, createWriteStream(file));

    const waiting = async (port: CopyPort) => {
      await using _ = port;
      return (await port.query("select from waiting_mails")).length;
    };
    const dataDir = path.join(place, "data");
    const isEmbedded = kind === "pglite";
    const url = isEmbedded ? undefined : await createPostgresDatabase("none");
    const options = { masterKeys: undefined, replace: false, loseSecrets: false };
    await restoreBackup({ file, dataDir, databaseUrl: url, ...options });
    const restored = url
      ? await postgresCopy(url)
      : await pgliteCopy(await openPglite({ directory: path.join(dataDir, "database") }));
    expect(await waiting(restored)).toBe(0);

    if (isEmbedded) return;
    const target = await createPostgresDatabase("none");
    const move = { url: target, replace: false, isMove: true, watchMs: 0 };
    await restorePostgres(await openArchiveFile(file), move);
    expect(await waiting(await postgresCopy(target))).toBe(1);
  });
});

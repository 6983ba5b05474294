import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openArchiveFile } from "../archive/read-archive.ts";
import { restoreBackup } from "../operator/restore-backup.ts";
import { parseSecrets } from "../operator/stored-secrets.ts";
import { connectDatabase } from "../tables/connect.ts";
import { createPostgresDatabase } from "../testing/own-database.ts";
import { emptyDatabase, testDatabases } from "../testing/test-database.ts";
import { PASSWORD, startTestHub } from "../testing/test-hub.ts";

const ARCHIVES = path.join(import.meta.dirname, "archives");
/**
 * The archives of former releases, by their schema version. Each release adds its archive with
 * `pnpm release-archive` (0030).
 */
export const archives = readdirSync(ARCHIVES)
  .map((file) => ({ file, schema: Number(/schema-(\d+)\.hub$/.exec(file)?.[1]) }))
  .sort((a, b) => a.schema - b.schema);

/** Declares that this release opens the given archives on each kind of database. */
export function describeArchives(given: typeof archives): void {
  const cases = given.flatMap(({ file }) => testDatabases().map((kind) => ({ file, kind })));
  let place: string;
  beforeEach(async () => {
    place = await mkdtemp(path.join(tmpdir(), "soul-hub-archives-"));
  });
  afterEach(() => rm(place, { recursive: true, force: true }));

  describe.each(cases)("the archive $file, restored on $kind", ({ file, kind }) => {
    it("opens in this release, with its accounts, souls, rooms and secrets", async () => {
      const archive = path.join(ARCHIVES, file);
      const { secrets, entries } = await openArchiveFile(archive);
      await entries.return(undefined);
      const { masterKeys } = parseSecrets(file, secrets ?? "");
      const databaseUrl = kind === "postgresql" ? await createPostgresDatabase("none") : undefined;
      const options = { replace: false, loseSecrets: false };
      await restoreBackup({ file: archive, dataDir: place, databaseUrl, masterKeys, ...options });
      const database = await connectDatabase(
        databaseUrl ? { url: databaseUrl } : { directory: path.join(place, "database") },
      );
      const fresh = await emptyDatabase(kind);
      expect(await database.pendingSchemaChanges()).toBe(await fresh.pendingSchemaChanges());

      await using hub = await startTestHub({
        database,
        masterKeys: [...masterKeys],
        realPasswordCost: true,
      });
      const login = { username: "ada", password: PASSWORD };
      const { body: ada } = await hub.guest().post("/api/login", login);
      expect(ada.api_key).toMatch(/^shk_/);
      const key = { authorization: `Bearer ${ada.api_key}` };
      const { body: souls } = await hub.guest().get("/api/my-souls", key);
      expect(souls.data.map(({ title }: { title: string }) => title).sort()).toEqual([
        "Hidden",
        "Orla",
      ]);
      const { id } = souls.data.find(({ title }: { title: string }) => title === "Orla");
      const { body: soul } = await hub.guest().get(`/api/soul/${id}`);
      expect(soul.data).toMatchObject({ like_count: 1, fork_count: 1, total_ratings: 1 });
      // Each release has changed the soul once.
      expect(soul.data.version).toBe(2);
      const { body: versions } = await hub.guest().get(`/api/versions?soul_id=${id}`, key);
      expect(versions.data.map(({ number }: { number: number }) => number)).toEqual([1]);
      const room = `soul_id=${id}&session_token=lobby`;
      const { body: history } = await hub.guest().get(`/api/chat?${room}`, key);
      expect(history.messages.map(({ content }: { content: string }) => content)).toContain(
        "Is the lamp lit?",
      );
      const next = { soul_id: id, session_token: "lobby", content: "And now?" };
      expect((await hub.guest().post("/api/chat", next, key)).status).toBe(200);
    });
  });
}

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { defaultTiers } from "@soul-hub/api";
import { masterKeys, restoreBackup } from "@soul-hub/api/operator";
import {
  type DatabaseKind,
  openedAt,
  ownPostgresDatabase,
  PASSWORD,
  testDatabases,
} from "@soul-hub/api/testing";
import { describe, expect, it } from "vitest";
import { openAccount, publishSoul } from "./testing/open-account.fixture.ts";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";
import { startWriting } from "./testing/writing.fixture.ts";

/** The writes that are acknowledged before and after the backup, so that it runs between writes. */
const WRITES = 150;

const pairs: { from: DatabaseKind; to: DatabaseKind }[] = testDatabases().includes("postgresql")
  ? [
      { from: "pglite", to: "postgresql" },
      { from: "postgresql", to: "pglite" },
    ]
  : [{ from: "pglite", to: "pglite" }];

/** Decision 0028: a backup of a running hub can be restored into either database. */
describe.concurrent.each(pairs)(
  "a hub on $from that is backed up during writes",
  ({ from, to }) => {
    it("answers every write, and its backup starts on the other database with the same keys and sessions", async () => {
      await using place = await makePlace(from);
      await using files = new AsyncDisposableStack();
      const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-restore-"));
      files.defer(() => rm(directory, { recursive: true, force: true }));
      // On a slow machine, the writers would use up a day's quota while the backup is written.
      const tiers = path.join(place.env.DATA_DIR, "tiers.json");
      const vip = { ...defaultTiers.vip, daily_limit: 1_000_000 };
      await writeFile(tiers, JSON.stringify({ ...defaultTiers, vip }));
      await using first = await startServerProcess({ ...place.env, TIERS_FILE: tiers });
      const token = await place.adminToken();
      const ada = await openAccount(first, token, "ada");
      const browser = first.actor({ name: "ada's browser" });
      await browser.post("/api/login", { username: "ada", password: PASSWORD, remember: true });
      const wanted = { name: "laptop", scopes: ["account:read"], password: PASSWORD };
      const { api_key } = (await ada.post("/api/keys", wanted)).body;
      const room = { soul_id: await publishSoul(ada), session_token: "lobby" };
      const said = await ada.post("/api/chat", { ...room, content: "Is the lamp lit?" });
      expect(said.status).toBe(200);

      // The fixture expects that each of its writes is answered with 200.
      const writing = await startWriting(first, token);
      await writing.until(WRITES);
      const authorization = `Bearer ${token}`;
      const response = await fetch(`${first.url}/api/admin/backup`, { headers: { authorization } });
      expect(response.status).toBe(200);
      const archive = Buffer.from(await response.arrayBuffer());
      const during = writing.acknowledgedSoFar();
      await writing.until(during + WRITES);
      await first.kill();
      await writing.end();

      const file = path.join(directory, "hub.hub");
      await writeFile(file, archive);
      const keys = place.env.MASTER_KEYS ?? (await readMasterKeys(place.env.DATA_DIR));
      const env = { ...place.env, DATA_DIR: directory, MASTER_KEYS: keys, ADMIN_TOKEN: token };
      const target = to === "postgresql" ? files.use(await ownPostgresDatabase("none")).url : "";
      const restored = await restoreBackup({
        file,
        dataDir: directory,
        databaseUrl: target || undefined,
        masterKeys: masterKeys.parse(keys),
        replace: false,
        loseSecrets: false,
      });
      expect(restored.rows).toBeGreaterThan(WRITES);

      const { url = "", directUrl = "", pooler = "" } = target ? openedAt(target) : {};
      await using second = await startServerProcess({
        ...env,
        DATABASE_URL: url,
        DATABASE_DIRECT_URL: directUrl,
        DATABASE_POOLER: pooler,
      });
      const again = second.actor({ name: "ada", apiKey: ada.apiKey });
      const query = new URLSearchParams({ soul_id: String(room.soul_id), session_token: "lobby" });
      const { body } = await again.get(`/api/chat?${query}`);
      expect(body.messages.map(({ content }: { content: string }) => content)).toEqual([
        "Is the lamp lit?",
        said.body.reply,
      ]);
      const sameProgram = second.actor({ name: "ada's laptop", apiKey: api_key });
      expect((await sameProgram.get("/api/me")).body.user.username).toBe("ada");
      const samePage = second.actor({ name: "ada's browser" });
      for (const [name, value] of browser.cookies) samePage.cookies.set(name, value);
      expect((await samePage.get("/trpc/accounts.whoAmI")).body.result.data.user).toMatchObject({
        username: "ada",
      });
      const next = await again.post("/api/chat", { ...room, content: "And now?" });
      expect(next.status).toBe(200);
    });
  },
);

async function readMasterKeys(directory: string): Promise<string> {
  const secrets = JSON.parse(await readFile(path.join(directory, "secrets.json"), "utf8"));
  return secrets.master_keys;
}

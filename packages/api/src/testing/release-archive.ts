/**
 * `pnpm release-archive [main]` writes the archive that each release leaves in the tests:
 * it starts a server, uses every feature that stores something, and backs up the database.
 * @param main the server's main.ts of another checkout, for a release without `hub backup`
 */
import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { backUpBeforeMigration } from "../backup/backup-files.ts";
import { masterKeys } from "../operator/secret-fields.ts";
import { verifyBackup } from "../operator/verify-backup.ts";
import { startServerProcess } from "./server-process.ts";
import { PASSWORD } from "./test-hub.ts";

const root = path.resolve(import.meta.dirname, "../../../..");
const main = process.argv[2] ?? path.join(root, "apps/server/src/main.ts");
const place = await mkdtemp(path.join(tmpdir(), "soul-hub-release-"));
try {
  const server = await startServerProcess(path.resolve(main), {
    DATA_DIR: place,
    RATE_LIMITS: "off",
  });
  const secretsFile = path.join(place, "secrets.json");
  const secrets = JSON.parse(await readFile(secretsFile, "utf8"));
  const { version } = (await (await fetch(`${server.url}/healthz`)).json()) as { version: string };
  await useHub(secrets.admin_token);
  await server.stop();
  const written = await backUpBeforeMigration({
    database: path.join(place, "database"),
    backups: place,
    secretsFile,
    masterKeys: masterKeys.parse(secrets.master_keys),
    version,
  });
  const { manifest, rows } = await verifyBackup(written);
  const name = `${version}-schema-${manifest.schema}.hub`;
  await rename(written, path.join(root, "packages/api/src/db/archives", name));
  process.stdout.write(`${name}: ${rows} rows\n`);

  /** Stores at least one row in each table that a person can fill. */
  async function useHub(token: string): Promise<void> {
    const operator = server.actor({ name: "the operator", apiKey: token });
    const register = async (username: string) => {
      const account = { username, password: PASSWORD, email: `${username}@example.org` };
      const { body } = await server.actor({ name: username }).post("/api/register", account);
      await operator.post("/api/admin/pass", { username, tier: "pro", days: 365 });
      return server.actor({ name: username, apiKey: body.api_key });
    };
    const ada = await register("ada");
    const ben = await register("ben");
    const login = { username: "ada", password: PASSWORD, remember: true };
    await server.actor({ name: "ada's browser" }).post("/api/login", login);
    await operator.post("/api/admin/reset-link", { username: "ben" });
    const published = await ada.post("/api/souls", {
      title: "Orla",
      content: "=== SOUL.md ===\nI keep the light.\n\n=== STYLE.md ===\nOne sentence.",
      domain: "Sea",
    });
    const soul_id = published.body.id;
    const lamp = { content: "=== SOUL.md ===\nI keep the lamp.", note: "A lamp now." };
    await ada.put(`/api/soul/${soul_id}`, lamp);
    await ada.put("/api/version", { soul_id, number: 1, note: "A light.", is_hidden: true });
    await ada.post("/api/souls", { title: "Hidden", content: "A secret.", is_public: 0 });
    await ben.post("/api/like", { soul_id });
    await ben.post("/api/rate", { soul_id, rating: 5 });
    await ben.post("/api/fork", { soul_id }, { "idempotency-key": "fork-1" });
    const room = { soul_id, session_token: "lobby" };
    await ben.post("/api/chat", { ...room, content: "Is the lamp lit?" });
    await server.actor({ name: "a guest" }).post("/trpc/chat.send", { ...room, content: "Hello" });
    await ben.post("/api/say", { ...room, content: "Between us.", off_record: true });
    await ben.put("/api/room-people", { ...room, username: "ada", state: "member" });
    await ben.post("/api/shares", room);
    const cabin = { soul_id, session_token: "cabin" };
    await ben.post("/api/chat", { ...cabin, content: "Is the lamp lit?", is_private: true });
    await ben.post("/api/room-invites", { ...cabin, uses: 1, days: 30 });
  }
} finally {
  await rm(place, { recursive: true, force: true });
}

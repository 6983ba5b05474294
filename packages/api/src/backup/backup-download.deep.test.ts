import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyBackup } from "../operator/verify-backup.ts";
import { createActor } from "../testing/actor.ts";
import { eventually } from "../testing/eventually.ts";
import { testDatabases } from "../testing/test-database.ts";
import { ADMIN_TOKEN, type TestHub } from "../testing/test-hub.ts";
import { startBackedUpHub } from "./backed-up-hub.fixture.ts";

let place: string;
beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), "soul-hub-backups-"));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const operatorOf = ({ url }: TestHub) =>
  createActor({ name: "the operator", apiKey: ADMIN_TOKEN, baseUrl: () => url });
const operator = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** Decision 0028. */
describe.each(testDatabases())("GET /api/admin/backup (on %s)", (kind) => {
  it("streams a backup to the operator", async () => {
    const { hub } = await startBackedUpHub(kind, place);
    await using _ = hub;
    await hub.member("ada");
    const response = await fetch(`${hub.url}/api/admin/backup`, { headers: operator });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-type": "application/zstd",
      "backup-keys": kind === "pglite" ? "included" : "none",
      "content-disposition": expect.stringMatching(/^attachment; filename="soul-hub-[\d-]+\.hub"$/),
    });
    const file = path.join(place, "hub.hub");
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    const { manifest, rows } = await verifyBackup(file);
    expect(rows).toBeGreaterThan(0);
    expect(manifest).toMatchObject({ database: kind, keys: [{ id: "test" }] });

    const { body, headers } = await fetch(`${hub.url}/api/admin/backup?keys=without`, {
      headers: operator,
    });
    expect(headers.get("backup-keys")).toBe("none");
    await body?.cancel();
  });

  it("answers 409 while another backup runs, and begins the next one after it", async () => {
    const { hub } = await startBackedUpHub(kind, place);
    await using _ = hub;
    const first = await hub.hub.backups.open(true);
    const second = await operatorOf(hub).get("/api/admin/backup");
    expect([second.status, second.body.error]).toEqual([409, "backup_running"]);
    expect((await buffer(first)).length).toBeGreaterThan(0);
    expect((await operatorOf(hub).get("/api/admin/backup")).status).toBe(200);
  });

  it("allows the next backup after its reader disconnects", async () => {
    const { hub } = await startBackedUpHub(kind, place);
    await using _ = hub;
    const abort = new AbortController();
    const response = await fetch(`${hub.url}/api/admin/backup`, {
      headers: operator,
      signal: abort.signal,
    });
    expect(response.status).toBe(200);
    abort.abort();
    await eventually(async () => {
      const next = await fetch(`${hub.url}/api/admin/backup`, { headers: operator });
      expect(next.status).toBe(200);
      await next.arrayBuffer();
    });
    // Nothing of the copies remains.
    await eventually(async () => {
      expect((await readdir(place)).filter((name) => name.includes("backup"))).toEqual([]);
    });
  });
});

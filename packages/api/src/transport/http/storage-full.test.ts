import { sql } from "kysely";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub();
});
afterAll(async () => {
  await freeDisk();
  vi.restoreAllMocks();
  await hub.close();
});

/** Makes inserts of souls fail with SQLSTATE 53100, as they do on a full disk. */
const fillDisk = async () => {
  const { db } = hub.hub.database;
  await sql`create or replace function disk_is_full() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(db);
  await sql`create trigger disk_is_full before insert on souls
    execute function disk_is_full()`.execute(db);
};
const freeDisk = async () => {
  await sql`drop trigger if exists disk_is_full on souls`.execute(hub.hub.database.db);
};

it("a full disk refuses writes with storage_full, and reads go on", async () => {
  const ada = await hub.member("ada");
  const publish = (path: string) => ada.post(path, { title: "Orla", content: "I keep the light." });
  await fillDisk();
  const first = await publish("/api/souls");
  expect([first.status, first.body.error]).toEqual([503, "storage_full"]);
  expect(first.headers.get("retry-after")).toBe("5");
  await freeDisk();

  // The disk has space again, but the last failed write was less than five seconds ago. The hub
  // therefore refuses this write before it begins.
  const second = await publish("/trpc/souls.publish");
  expect([second.status, second.body.error.data.error]).toEqual([503, "storage_full"]);
  expect((await ada.get("/api/souls")).status).toBe(200);
  const ready = await hub.guest().get("/readyz");
  expect([ready.status, ready.body]).toMatchObject([200, { status: "ready", storage: "full" }]);

  const now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now + 6_000);
  expect((await publish("/api/souls")).status).toBe(200);
  expect((await hub.guest().get("/readyz")).body.storage).toBeUndefined();
});

import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  type ChatHub,
  type ChatHubOptions,
  failureOf,
  openRoom,
  type RoomName,
  say,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { emptyDatabase } from "../../testing/test-database.ts";
import { ADMIN_TOKEN } from "../../testing/test-hub.ts";

const RESERVE = 256 * 2 ** 20;

let hub: ChatHub;
let ada: Actor;
let room: RoomName;
afterEach(() => hub.close());

const openHub = async (options: ChatHubOptions = {}) => {
  hub = await startChatHub(options);
  ada = await hub.vip("ada");
  room = await openRoom(ada);
  await say(ada, room, "Hello.");
};
const publish = (path: string) => ada.post(path, { title: "Orla", content: "I keep the light." });
const readiness = async () => {
  const { status, body } = await hub.guest().get("/readyz");
  return [status, body.status, body.storage];
};
const gauge = async (name: string) => {
  const { text } = await hub.guest().get("/metrics", { authorization: `Bearer ${ADMIN_TOKEN}` });
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
};

/** Checks that every write is refused before it begins, and that reads go on. */
async function expectRefused() {
  const asked = hub.provider.requests.length;
  const refused = await publish("/api/souls");
  expect(failureOf(refused)).toEqual([503, "storage_full"]);
  expect(refused.headers.get("retry-after")).toBe("5");
  const overTrpc = await publish("/trpc/souls.publish");
  expect([overTrpc.status, overTrpc.body.error.data.error]).toEqual([503, "storage_full"]);
  expect(failureOf(await say(ada, room, "Is it dark?"))).toEqual([503, "storage_full"]);
  expect(hub.provider.requests).toHaveLength(asked);
  const key = { "idempotency-key": "once" };
  const keyed = await ada.post("/api/souls", { title: "Orla", content: "I stay." }, key);
  expect(failureOf(keyed)).toEqual([503, "storage_full"]);
  expect(
    await hub.hub.database.db.selectFrom("idempotent_calls").select("route").execute(),
  ).toEqual([]);
  expect((await ada.get("/api/my-souls")).status).toBe(200);
  expect(await readiness()).toEqual([200, "ready", "full"]);
  expect(await gauge("soulhub_storage_full")).toBe(1);
}

async function expectAccepted() {
  expect((await publish("/api/souls")).status).toBe(200);
  expect((await say(ada, room, "Is it light?")).status).toBe(200);
  expect(await readiness()).toEqual([200, "ready", "ok"]);
  expect(await gauge("soulhub_storage_full")).toBe(0);
}

describe("a full disk", () => {
  it("refuses all writes from the first that found no space, until a probe succeeds", async () => {
    await openHub();
    const { storage, database } = hub.hub;
    // Inserts fail with SQLSTATE 53100, as they do on a full disk.
    await sql`create or replace function disk_is_full() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(
      database.db,
    );
    await sql`create trigger disk_is_full before insert on souls
      execute function disk_is_full()`.execute(database.db);
    expect(failureOf(await publish("/api/souls"))).toEqual([503, "storage_full"]);
    await sql`drop trigger disk_is_full on souls`.execute(database.db);

    await expectRefused();
    await storage.check();
    await expectAccepted();
  });

  it("is found out by the probe, which needs space of its own", async () => {
    await openHub();
    const { storage, database } = hub.hub;
    // An event trigger refuses the probe's table for lack of space.
    await sql`create function no_new_table() returns event_trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(
      database.db,
    );
    await sql`create event trigger no_new_table on ddl_command_end
      execute function no_new_table()`.execute(database.db);
    storage.foundFull();
    await storage.check();
    expect(await readiness()).toEqual([200, "ready", "full"]);
    await sql`drop event trigger no_new_table`.execute(database.db);
    await sql`drop function no_new_table`.execute(database.db);
    await storage.check();
    expect(await readiness()).toEqual([200, "ready", "ok"]);
  });
});

describe("the disk of an embedded database", () => {
  it("counts as full below DISK_RESERVE_MB", async () => {
    let free = RESERVE;
    const database = { ...(await emptyDatabase("pglite")), freeBytes: async () => free };
    await openHub({ database, config: { diskReserveBytes: RESERVE } });
    const { storage } = hub.hub;
    await storage.check();
    await expectAccepted();
    free = RESERVE - 1;
    await storage.check();
    await expectRefused();
    expect(await gauge("soulhub_disk_free_bytes")).toBe(free);
    free = RESERVE;
    await storage.check();
    await expectAccepted();
  });
});

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { postgresCopy } from "../archive/postgres-copy.ts";
import { eventually } from "../testing/eventually.ts";
import { ownPostgresDatabase } from "../testing/own-database.ts";
import { openDatabaseProxy } from "../testing/servers/database-proxy.ts";
import { testDatabases } from "../testing/test-database.ts";
import { ADMIN_TOKEN, type TestHub } from "../testing/test-hub.ts";
import { startBackedUpHub } from "./backed-up-hub.fixture.ts";

let place: string;
beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), "soul-hub-move-"));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const startHub = async (silenceMs: number, backupMs = 60_000) => {
  const moveLimits = { connectMs: 2_000, silenceMs, backupMs };
  return (await startBackedUpHub("pglite", place, { moveLimits })).hub;
};

const operator = { authorization: `Bearer ${ADMIN_TOKEN}` };
const move = (hub: TestHub, database_url: string) =>
  hub.guest().post("/api/admin/move", { database_url }, operator);
const stateOf = async (hub: TestHub) => (await hub.guest().get("/api/admin/move", operator)).body;

/** Waits for the failure of a move, and writes: the hub accepts writes at once. */
async function expectFailure(hub: TestHub, reason: string | RegExp): Promise<void> {
  await eventually(async () => {
    expect(await stateOf(hub)).toMatchObject({
      step: "failed",
      reason: expect.stringMatching(reason),
    });
  });
  await hub.member(`ada-${Date.now()}`);
}

/** Decision 0033: a move whose target fails ends by itself. */
describe.runIf(testDatabases().includes("postgresql"))("a move to PostgreSQL", () => {
  it("ends if PostgreSQL stops answering halfway, and can be repeated", async () => {
    await using hub = await startHub(1_000);
    await using target = await ownPostgresDatabase("none");
    await using proxy = await openDatabaseProxy(target.url);
    proxy.dropFrom("create schema hub_restoring");
    expect((await move(hub, proxy.url)).status).toBe(200);
    await expectFailure(hub, "The move has made no progress for 1 s.");
    expect((await move(hub, target.url)).status).toBe(200);
    await eventually(async () => expect(await stateOf(hub)).toMatchObject({ step: "moved" }));
    expect((await move(hub, target.url)).body.error).toBe("maintenance");
  });

  it("ends if a statement waits for a lock, whatever others do in the database", async () => {
    await using hub = await startHub(1_000);
    await using target = await ownPostgresDatabase("none");
    await using other = await postgresCopy(target.url);
    await using busy = await postgresCopy(target.url);
    await other.query("begin");
    await other.query("create schema hub_restoring");
    const working = busy.query("select pg_sleep(600)").catch(() => undefined);
    await move(hub, target.url);
    await expectFailure(hub, "The move has made no progress for 1 s.");
    await other.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(600)'",
    );
    await working;
  });

  it("goes on while a statement takes longer than that", async () => {
    await using hub = await startHub(1_000);
    await using target = await ownPostgresDatabase("none");
    await using owner = await postgresCopy(target.url);
    await owner.query(
      `create function public.work() returns event_trigger language plpgsql set search_path = '' as
      $$ begin perform sum(n) from pg_catalog.generate_series(1, 12000000) n; end $$`,
    );
    await owner.query("create schema tools; alter function public.work() set schema tools");
    await owner.query(
      "create event trigger work on ddl_command_end when tag in ('CREATE SCHEMA') execute function tools.work()",
    );
    await move(hub, target.url);
    await eventually(async () => expect(await stateOf(hub)).toMatchObject({ step: "moved" }));
  });

  it("ends if nothing answers at the address", async () => {
    await using hub = await startHub(1_000);
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    await move(hub, `postgres://hub@127.0.0.1:${port}/hub`);
    await expectFailure(hub, "PostgreSQL has not answered for 2 s.");
    silent.close();
  });

  it("accepts writes after a failure before the target is empty", async () => {
    await using hub = await startHub(60_000);
    await using target = await ownPostgresDatabase("none");
    await using owner = await postgresCopy(target.url);
    await owner.query("create schema tools");
    const trigger = (body: string, event: string) =>
      owner.query(
        `create function tools.on_${event}() returns event_trigger language plpgsql as $$ begin ${body}; end $$;
        create event trigger ${event} on ${event} execute function tools.on_${event}()`,
      );
    await trigger(
      "if tg_tag = 'CREATE TABLE' then raise exception 'No table today.'; end if",
      "ddl_command_end",
    );
    await trigger(
      "if tg_tag = 'DROP SCHEMA' and to_regnamespace('hub_restoring') is not null then perform pg_sleep(600); end if",
      "ddl_command_start",
    );
    await move(hub, target.url);
    await expectFailure(hub, /No table today\.$/);
    expect(await owner.query("select to_regnamespace('hub_restoring')::text as schema")).toEqual([
      { schema: "hub_restoring" },
    ]);
  });

  it("begins after the backup that runs", async () => {
    await using hub = await startHub(30_000);
    await using target = await ownPostgresDatabase("none");
    const backup = await hub.hub.backups.open(true);
    await move(hub, target.url);
    expect(await stateOf(hub)).toMatchObject({ step: "waiting" });
    await hub.member("ada");
    await buffer(backup);
    await eventually(async () => expect(await stateOf(hub)).toMatchObject({ step: "moved" }));
  });

  it("fails if the backup that runs does not end in time", async () => {
    await using hub = await startHub(30_000, 100);
    await using target = await ownPostgresDatabase("none");
    const backup = await hub.hub.backups.open(true);
    await move(hub, target.url);
    await expectFailure(hub, "Another backup is running.");
    backup.destroy();
  });

  it("fails even if the embedded database stops answering", async () => {
    await using hub = await startHub(1_000);
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    await move(hub, `postgres://hub@127.0.0.1:${port}/hub`);
    await once(silent, "connection");
    const { database, move: state, maintenance } = hub.hub;
    vi.spyOn(database.db, "getExecutor").mockImplementationOnce(() => {
      throw new Error("The database is closed.");
    });
    await eventually(() => expect([state.step, maintenance.isOn]).toEqual(["failed", false]));
    silent.close();
  });
});

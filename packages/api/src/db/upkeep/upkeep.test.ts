import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectDatabase } from "../../tables/connect.ts";
import { copyEmbeddedTemplate } from "../../testing/test-database.ts";
import type { Database } from "../database.ts";
import { Upkeep } from "./upkeep.ts";

const MEGABYTE = 1024 * 1024;
const SEGMENT_BYTES = 16 * MEGABYTE;

describe("the upkeep of the embedded database", () => {
  let directory: string;
  let database: Database;
  let registry: Registry;
  let time = 0;
  const newUpkeep = (maxLogBytes = SEGMENT_BYTES) =>
    new Upkeep({ db: database.db, registry, now: () => time, maxLogBytes });

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "hub-upkeep-"));
    await copyEmbeddedTemplate(directory);
    database = await connectDatabase({ directory, sync: false });
    registry = new Registry();
    time = 0;
    await sql`insert into accounts (username, username_key)
      select 'name' || n, 'name' || n from generate_series(1, 500) n`.execute(database.db);
  });
  afterEach(async () => {
    await database.close();
    await rm(directory, { recursive: true });
  });

  /** Changes each account, which leaves 500 dead rows. */
  const changeAccounts = async (times: number) => {
    for (let n = 0; n < times; n++) {
      await sql`update accounts set username_key = md5(random()::text),
        email = repeat(md5(random()::text), 40)`.execute(database.db);
    }
  };
  const tableBytes = async () => {
    const { rows } = await sql<{ bytes: number }>`
      select pg_total_relation_size('accounts') as bytes`.execute(database.db);
    return rows[0]?.bytes ?? 0;
  };
  const lastCheckpoint = async () => {
    const { rows } = await sql<{ lsn: string }>`
      select redo_lsn::text as lsn from pg_control_checkpoint()`.execute(database.db);
    return rows[0]?.lsn;
  };
  const logFiles = async () =>
    (await readdir(path.join(directory, "pg_wal"))).filter((name) => /^[0-9A-F]{24}$/.test(name));
  const runsOf = async (task: string) => {
    const metric = await registry.getSingleMetric("soulhub_upkeep_seconds")?.get();
    const counts = metric?.values.filter(
      (value) => "metricName" in value && String(value.metricName).endsWith("_count"),
    );
    return counts?.find(({ labels }) => labels.task === task)?.value ?? 0;
  };

  it("reuses the space of dead rows while calls go on", async () => {
    const upkeep = newUpkeep();
    const changeAndRun = async () => {
      await changeAccounts(4);
      upkeep.noteCall();
      await upkeep.run();
    };
    for (let n = 0; n < 3; n++) await changeAndRun();
    const bytes = await tableBytes();
    for (let n = 0; n < 10; n++) await changeAndRun();
    expect(await tableBytes()).toBeLessThan(1.5 * bytes);
    expect(await runsOf("vacuum")).toBeGreaterThan(0);
  });

  it("vacuums a table with more than a fifth of dead rows once no call came for 2 s", async () => {
    const upkeep = newUpkeep();
    await changeAccounts(1);
    time = 10_000;
    upkeep.noteCall();
    time += 1_999;
    await upkeep.run();
    expect(await runsOf("vacuum")).toBe(0);
    time += 1;
    await upkeep.run();
    expect(await runsOf("vacuum")).toBe(1);
    await upkeep.run();
    expect(await runsOf("vacuum")).toBe(1);
  });

  it("keeps the write-ahead log within a few files", async () => {
    const upkeep = newUpkeep();
    let most = 0;
    let written = 0;
    while (written < 10 * SEGMENT_BYTES) {
      await changeAccounts(4);
      await upkeep.run();
      most = Math.max(most, (await logFiles()).length);
      const { rows } = await sql<{ bytes: number }>`
        select (pg_current_wal_lsn() - '0/0')::bigint as bytes`.execute(database.db);
      written = rows[0]?.bytes ?? 0;
    }
    expect(most).toBeLessThanOrEqual(5);
    expect(await runsOf("checkpoint")).toBeGreaterThan(3);
  });

  it("neither vacuums nor checkpoints while it is paused", async () => {
    const upkeep = newUpkeep(0);
    await changeAccounts(4);
    const before = await lastCheckpoint();
    await upkeep.paused(async () => {
      await upkeep.run();
      expect(await lastCheckpoint()).toBe(before);
    });
    expect(await runsOf("vacuum")).toBe(0);
    await upkeep.run();
    expect(await lastCheckpoint()).not.toBe(before);
    expect(await runsOf("vacuum")).toBe(1);
  });

  it("waits a minute after a failure", async () => {
    const upkeep = newUpkeep(0);
    await changeAccounts(1);
    // A role without rights may not checkpoint.
    await sql`create role nobody`.execute(database.db);
    await sql`set role nobody`.execute(database.db);
    await expect(upkeep.run()).rejects.toThrow("permission denied");
    await sql`reset role`.execute(database.db);
    time += 59_999;
    await upkeep.run();
    expect(await runsOf("checkpoint")).toBe(0);
    time += 1;
    await upkeep.run();
    expect(await runsOf("checkpoint")).toBe(1);
  });

  it("begins a pause after the work that runs", async () => {
    const upkeep = newUpkeep(0);
    await changeAccounts(4);
    const running = upkeep.run();
    await upkeep.paused(async () => {
      expect(await runsOf("checkpoint")).toBe(1);
    });
    await running;
  });
});

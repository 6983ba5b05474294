import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { copyEmbeddedTemplate, type ServerProcess } from "@soul-hub/api/testing";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { openAccount, publishSoul } from "../testing/open-account.fixture.ts";
import { startServerProcess } from "../testing/server-process.fixture.ts";
import { readSteps, type Step, straceInto } from "./strace.fixture.ts";

const secrets = {
  ADMIN_TOKEN: "admin-token-of-the-power-test",
  MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
};
const { strace = "" } = inject("services");

let place: string;
let logs: string;
/** Killed after each test: a hung server would outlive the run. */
const servers: ServerProcess[] = [];
beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), "soul-hub-power-"));
  logs = await mkdtemp(path.join(tmpdir(), "soul-hub-strace-"));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.kill();
  await rm(place, { recursive: true });
  await rm(logs, { recursive: true });
});

async function start(settings: Record<string, string>, under?: string[]) {
  const server = await startServerProcess({ DATA_DIR: place, DATA_SYNC: "on", ...settings }, under);
  servers.push(server);
  return server;
}

/** Starts a server on an empty database, under strace. */
async function startTraced(settings: Record<string, string> = {}, ...options: string[]) {
  await copyEmbeddedTemplate(path.join(place, "database"));
  return start({ ...secrets, ...settings }, straceInto(strace, logs, ...options));
}

/**
 * Makes writes of all kinds, one after the other.
 * @returns for each write, the steps of the server on the WAL between request and response
 */
async function traceWrites(server: ServerProcess): Promise<Step[][]> {
  const ada = await openAccount(server, secrets.ADMIN_TOKEN, "ada");
  const soul_id = await publishSoul(ada);
  const calls = 3 + 4 * 5;
  for (let n = 0; n < 5; n++) {
    const line = { soul_id, session_token: "hall", content: `Hello ${n}` };
    expect((await ada.put(`/api/soul/${soul_id}`, { title: `Orla ${n}` })).status).toBe(200);
    expect((await ada.post("/api/like", { soul_id })).status).toBe(200);
    expect((await ada.post("/api/rate", { soul_id, rating: 1 + n })).status).toBe(200);
    expect((await ada.post("/api/chat", line)).status).toBe(200);
  }
  expect(await server.stop()).toBe(0);

  const writes: Step[][] = [];
  let isAsked = false;
  for (const step of await readSteps(logs)) {
    if (step.did === "request") {
      isAsked = !step.line.startsWith("GET");
      if (isAsked) writes.push([]);
    } else if (step.did === "response") isAsked = false;
    else if (isAsked && step.path?.includes("/pg_wal/")) writes.at(-1)?.push(step);
  }
  expect(writes).toHaveLength(calls);
  return writes;
}

describe.skipIf(!strace)("a power cut, as far as strace shows it", () => {
  it("loses no answered write: its WAL is flushed before the answer", async () => {
    const server = await startTraced();
    expect(server.greeting).not.toContain("DATA_SYNC");
    const writes = await traceWrites(server);
    for (const steps of writes) {
      expect(steps.map(({ did }) => did)).toContain("write");
      const last = new Map(steps.map(({ path, did }) => [path, did]));
      expect(new Set(last.values())).toEqual(new Set(["flush"]));
    }
    // The reservation of a chat waits for no flush of its own (0082). Work in the background may flush.
    const chats = writes.slice(3).filter((_, n) => n % 4 === 3);
    const flushes = chats.map((steps) => steps.filter(({ did }) => did === "flush").length);
    expect(Math.min(...flushes)).toBe(1);
  });

  it("may lose answered writes with DATA_SYNC=off: no WAL is flushed", async () => {
    const server = await startTraced({ DATA_SYNC: "off" });
    expect(server.greeting).toContain("DATA_SYNC=off: a power cut may lose answered writes");
    for (const steps of await traceWrites(server)) {
      expect(new Set(steps.map(({ did }) => did))).toEqual(new Set(["write"]));
    }
  });

  it("loses no file of a new hub and undoes no renaming", async () => {
    const database = path.join(place, "database");
    const server = await start({}, straceInto(strace, logs));
    expect(await server.stop()).toBe(0);
    const steps = await readSteps(logs);
    const isFlushed = (file: string, since = -1) =>
      steps.some(({ did, path }, at) => at > since && did === "flush" && path === file);

    // PGlite unpacks a new database before PostgreSQL starts and flushes its first file.
    const started = steps.findIndex(
      ({ did, path }) => did === "flush" && path?.startsWith(database),
    );
    const unpacked = steps
      .slice(0, started)
      .flatMap(({ did, path }) => (did === "create" && path?.startsWith(database) ? [path] : []))
      // PostgreSQL deletes its statistics when it starts.
      .filter((file) => !file.includes("/pg_stat/"));
    expect(unpacked.length).toBeGreaterThan(500);
    expect(unpacked.filter((file) => !isFlushed(file, started))).toEqual([]);
    for (const directory of [path.dirname(place), place, database, `${database}/base`]) {
      expect(isFlushed(directory), directory).toBe(true);
    }

    const renamed = steps
      .flatMap(({ did, path }, at) => (did === "rename" && path ? [{ file: path, at }] : []))
      // PostgreSQL makes this cache again where it is missing.
      .filter(({ file }) => !file.endsWith("pg_internal.init"));
    expect(renamed.map(({ file }) => path.basename(file))).toEqual(
      expect.arrayContaining(["secrets.json", "replorigin_checkpoint"]),
    );
    expect(renamed.filter(({ file, at }) => !isFlushed(path.dirname(file), at))).toEqual([]);
  });

  it.each([
    ["a flush fails", "on", "fsync:error=EIO"],
    ["the disk has no space for the WAL", "on", "pwrite64:error=ENOSPC"],
    ["the disk has no space for the WAL", "off", "pwrite64:error=ENOSPC"],
  ])(
    "ends the hub when %s (DATA_SYNC=%s), and loses no acknowledged write",
    async (_, sync, fault) => {
      const wal = path.join(place, "database/pg_wal/000000010000000000000001");
      const inject = ["-P", wal, "-e", `inject=${fault}:when=40+`];
      const server = await startTraced({ DATA_SYNC: sync }, ...inject);
      const ada = await openAccount(server, secrets.ADMIN_TOKEN, "ada");
      const acknowledged: number[] = [];
      for (let isOver = false; !isOver; ) {
        const soul = { title: `Version ${acknowledged.length}`, content: "I stay." };
        const answer = await ada.post("/api/souls", soul).catch(() => undefined);
        if (answer) {
          expect(answer.status).toBe(200);
          acknowledged.push(answer.body.id);
        } else isOver = true;
      }
      expect(acknowledged.length).toBeGreaterThan(5);
      expect(await server.exited).toBe(1);

      const again = await start(secrets);
      const { body } = await again
        .actor({ name: "ada", apiKey: ada.apiKey })
        .get("/api/my-souls?limit=100");
      const kept = body.data.map(({ id }: { id: number }) => id);
      expect(kept).toEqual(expect.arrayContaining(acknowledged));
    },
  );
});

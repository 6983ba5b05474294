import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  ADMIN_TOKEN,
  type DatabaseKind,
  eventually,
  openedAt,
  ownPostgresDatabase,
  PASSWORD,
  runOnServer,
  type ServerProcess,
  startServerProcess,
  testDatabases,
} from "@soul-hub/api/testing";
import { describe, expect, it } from "vitest";
import { buildPagesWhereStale } from "./build-pages.ts";

const serverEntry = path.resolve(import.meta.dirname, "../../server/src/main.ts");

/** The first one creates the database. */
const ZONES = ["America/St_Johns", "UTC", "Pacific/Apia"];
const HOUR_MS = 3_600_000;

/** A data directory or a PostgreSQL database that servers open one after the other. */
async function makePlace(kind: DatabaseKind) {
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-zones-"));
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  const url = kind === "postgresql" ? opened.use(await ownPostgresDatabase()).url : null;
  const { url: DATABASE_URL = "", directUrl = "", pooler = "" } = url ? openedAt(url) : {};
  const env = {
    DATA_DIR: directory,
    DATABASE_URL,
    DATABASE_DIRECT_URL: directUrl,
    DATABASE_POOLER: pooler,
    MASTER_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    ADMIN_TOKEN,
    RATE_LIMITS: "off",
  };
  const held = opened.move();
  return {
    /** Starts the server in a time zone, which is also that of the PostgreSQL database. */
    async startIn(zone: string) {
      if (url) {
        const name = new URL(url).pathname.slice(1);
        await runOnServer(url, `alter database ${name} set timezone = '${zone}'`);
      }
      return startServerProcess(serverEntry, { ...env, TZ: zone });
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Publishes a soul. Returns its id. */
async function publish(server: ServerProcess): Promise<number> {
  const account = { username: "linus", password: PASSWORD, email: "l@example.org" };
  const { body } = await server.actor({ name: "linus" }).post("/api/register", account);
  const linus = server.actor({ name: "linus", apiKey: body.api_key });
  const soul = { title: "Night Watch", content: "I count the stars." };
  return (await linus.post("/api/souls", soul)).body.id;
}

/** Reads the pages that contain a soul's data, and the hub's answer about that soul. */
async function readPages(server: ServerProcess, id: number): Promise<string[]> {
  const guest = server.actor({ name: "guest" });
  const answer = await guest.get(`/api/soul/${id}`);
  const { created_at } = answer.body.data;
  // In another zone than UTC, the time would be hours away.
  expect(Math.abs(Date.parse(`${created_at}Z`) - Date.now())).toBeLessThan(HOUR_MS);
  const pages = ["/", `/soul/${id}`, `/chat/${id}/lobby`].map((pathname) =>
    eventually(async () => {
      const { text } = await guest.get(pathname);
      // A slow server sends a page without its data, and the browser asks for the data.
      expect(text).toContain(`"created_at":"${created_at}"`);
      // The port differs from start to start.
      return text.replaceAll(/localhost:\d+/g, "localhost");
    }),
  );
  return [answer.text, ...(await Promise.all(pages))];
}

/** Decisions §2: times are UTC. A page contains those of its data. */
describe.each(testDatabases())("pages and their data (on %s)", (kind) => {
  it("are equal in every time zone", async () => {
    await buildPagesWhereStale();
    await using place = await makePlace(kind);
    let soul: number | undefined;
    let expected: string[] | undefined;
    for (const zone of ZONES) {
      await using server = await place.startIn(zone);
      soul ??= await publish(server);
      const pages = await readPages(server, soul);
      expected ??= pages;
      expect([zone, pages]).toEqual([zone, expected]);
    }
  });
});

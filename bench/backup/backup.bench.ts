import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { restoreBackup } from "@soul-hub/api/operator";
import { PASSWORD, say } from "@soul-hub/api/testing";
import { RepeatedCalls } from "../load/repeated-calls.ts";
import { type ChatClient, type ChatHub, startChatHub } from "../processes/chat-hub.ts";
import { actorOf, ok } from "../processes/member.ts";
import { ADMIN_TOKEN, MASTER_KEY } from "../processes/server.ts";
import { providerOf } from "../provider/start-provider.ts";
import type { Bench } from "../runner/bench.ts";
import { blame, type Table, valueAt } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { seedHub } from "./seed-hub.ts";

const WRITERS = 4;
/** Time without a backup, before it and after it. About as long as a backup takes. */
const BASELINE_MS = 45_000;
const MEGABYTE = 1024 * 1024;
/** The longest time that a backup may add to a write of an embedded hub. */
const LATE_MS = 250;
/** The first client of `startChatHub`. */
const USERNAME = "client-0-0";

/** A database of a hub: embedded in a directory, or in PostgreSQL. */
interface Place {
  name: string;
  dataDir: string;
  databaseUrl: string | undefined;
}

/**
 * Does a backup delay or fail a write, and is every row restored in the other database? An embedded
 * hub is filled, backed up under load, and restored into PostgreSQL. That hub is backed up alike and
 * restored into an embedded database. Each restore compares all rows.
 */
export const bench: Bench = {
  scenarios: [
    {
      name: "there and back",
      atMostSeconds: 5_400,
      async run(stage) {
        const place = (name: string, dataDir: string, databaseUrl?: string): Place => ({
          name,
          dataDir,
          databaseUrl,
        });
        const embedded = place("PGlite", await stage.newDataDirectory());
        const emptyDatabase = await stage.newDatabase("empty");
        const postgres = place("PostgreSQL", await stage.newDirectory(), emptyDatabase);
        const lastDirectory = path.join(await stage.newDirectory(), "data");
        const restored = place("PGlite, restored", lastDirectory);

        const megabytes = Number(stage.option("megabytes", "300", "0.3"));
        // Flushes only slow the filling down.
        const filled = await startHubAt(stage, embedded, { DATA_SYNC: "off" });
        const clients = await filled.clients(stage.size(16, 1));
        const session = actorOf(filled.server.url, USERNAME);
        const login = { username: USERNAME, password: PASSWORD, remember: true };
        await ok(session.post("/api/login", login));
        await seedHub(stage, filled.server.url, clients, megabytes * MEGABYTE);
        if (!stage.isSmoke) await filled.server.stop();
        let hub = stage.isSmoke ? filled : await startHubAt(stage, embedded);

        const table: Table = new Map();
        const faults: string[] = [];
        for (const [from, to] of [
          [embedded, postgres],
          [postgres, restored],
        ] as const) {
          const file = path.join(await stage.newDirectory(), "backup.hub");
          const writes = await blame(from.name, () =>
            backUpUnderLoad(stage, hub, clients.slice(0, WRITERS), file),
          );
          faults.push(...writes.faults);
          for (const [when, values] of writes.table()) table.set(when, values);
          await blame(to.name, async () => {
            const { rows } = await restoreBackup({
              file,
              ...to,
              masterKeys: [{ id: "bench", key: MASTER_KEY }],
              replace: false,
              loseSecrets: false,
            });
            const { size } = await stat(file);
            table.set(`${to.name}, restored`, { rows, "archive MB": size / MEGABYTE });
            hub = await startHubAt(stage, to);
            await assertSameAccount(hub.server.url, session.cookies, clients[0] as ChatClient);
          });
        }
        const slowest = (period: string) =>
          valueAt(table, `PGlite, ${period} the backup`, "max ms");
        const late = slowest("during") - Math.max(slowest("before"), slowest("after"));
        const goals = [atMost("a backup adds to the slowest write", late, LATE_MS, " ms")];
        return { table, goals, faults };
      },
    },
  ],
};

const startHubAt = async (stage: Stage, place: Place, settings: Record<string, string> = {}) => {
  const provider = await providerOf(stage);
  const { name, dataDir, databaseUrl } = place;
  const all = { ...provider.settings, ...settings, DATA_DIR: dataDir };
  return startChatHub(stage, { name, databaseUrl, settings: all });
};

/** Backs a hub up into a file and stops it. Writers chat, like and publish meanwhile. */
async function backUpUnderLoad(
  stage: Stage,
  { name, server }: ChatHub,
  clients: ChatClient[],
  file: string,
): Promise<RepeatedCalls> {
  const writes = new RepeatedCalls(stage);
  writes.begin(`${name}, before the backup`);
  for (const { apiKey, ...room } of clients) {
    const client = actorOf(server.url, "writer", apiKey);
    const calls = [
      () => say(client, room, "Is the lamp lit?"),
      () => client.post("/api/like", { soul_id: room.soul_id }),
      () => client.post("/api/souls", { title: "Draft", content: "I stay." }),
    ] as const;
    writes.repeat(stage.size(10, 100), (nth) => (calls[nth % calls.length] ?? calls[0])());
  }
  await sleep(stage.size(BASELINE_MS, 300));
  writes.begin(`${name}, during the backup`);
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const response = await fetch(`${server.url}/api/admin/backup`, { headers });
  if (!response.ok || !response.body) throw new Error(`the backup failed: ${response.status}`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
  writes.begin(`${name}, after the backup`);
  await sleep(stage.size(BASELINE_MS, 300));
  await writes.end();
  await server.stop();
  return writes;
}

/**
 * Checks that the first client's session, API key and room work on a restored hub.
 * @throws Error naming the one that does not
 */
async function assertSameAccount(
  url: string,
  cookies: Map<string, string>,
  { apiKey, ...room }: ChatClient,
): Promise<void> {
  const browser = actorOf(url, USERNAME);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  const page = await ok(browser.get("/trpc/accounts.whoAmI"));
  if (page.result.data.user?.username !== USERNAME) throw new Error("the session is lost");
  const client = actorOf(url, USERNAME, apiKey);
  const history = new URLSearchParams({ ...room, soul_id: String(room.soul_id) });
  const { messages } = await ok(client.get(`/api/chat?${history}`));
  if (!messages?.length) throw new Error("the room is lost");
  await ok(say(client, room, "Hi."));
}

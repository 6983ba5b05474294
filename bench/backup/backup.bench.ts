import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { restoreBackup } from "@soul-hub/api/operator";
import { PASSWORD } from "@soul-hub/api/testing";
import { type ChatClient, startChatHub } from "../processes/chat-hub.ts";
import { actorOf, ok } from "../processes/member.ts";
import { ADMIN_TOKEN, MASTER_KEY } from "../processes/server.ts";
import { providerOf } from "../provider/start-provider.ts";
import type { Bench, Goal } from "../runner/bench.ts";
import { blame, type Table } from "../runner/measure.ts";
import { atMost } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { seedHub } from "./seed-hub.ts";
import { startWrites } from "./write-load.ts";

const WRITERS = 4;
/** Time without a backup, before it and after it. About as long as a backup takes. */
const BASELINE_MS = 45_000;
const MEGABYTE = 1024 * 1024;
/** The longest time that a backup may add to a write of an embedded hub. */
const LATE_MS = 250;

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
        const dataDir = await stage.newDataDirectory();
        const embedded = { name: "PGlite", dataDir, databaseUrl: undefined };
        const postgres = {
          name: "PostgreSQL",
          dataDir: await stage.newDirectory(),
          databaseUrl: await stage.newDatabase("empty"),
        };
        const restored = {
          name: "PGlite, restored",
          dataDir: path.join(await stage.newDirectory(), "data"),
          databaseUrl: undefined,
        };
        const megabytes = Number(stage.option("megabytes", "300", "1"));
        // Flushes only slow the filling down.
        const hub = await startHubAt(stage, embedded, { DATA_SYNC: "off" });
        const clients = await hub.clients(stage.size(16, 1));
        const [first] = clients as [ChatClient];
        const { cookies } = await logIn(hub.server.url);
        await seedHub(stage, hub.server.url, clients, megabytes * MEGABYTE);
        if (!stage.isSmoke) await hub.server.stop();

        const table: Table = new Map();
        const goals: Goal[] = [];
        const faults: string[] = [];
        let source = stage.isSmoke ? hub : await startHubAt(stage, embedded);
        for (const [from, to] of [
          [embedded, postgres],
          [postgres, restored],
        ] as const) {
          const file = path.join(await stage.newDirectory(), "backup.hub");
          await blame(from.name, async () => {
            const writes = startWrites(stage, source.server.url, clients.slice(0, WRITERS));
            await sleep(stage.size(BASELINE_MS, 300));
            const before = writes.endPeriod();
            await downloadBackup(source.server.url, file);
            const during = writes.endPeriod();
            await sleep(stage.size(BASELINE_MS, 300));
            const after = writes.endPeriod();
            faults.push(...(await writes.stop()).map((fault) => `${from.name}: ${fault}`));
            await source.server.stop();
            const slowest = (period: typeof before) => period["max ms"] ?? Number.NaN;
            const late = slowest(during) - Math.max(slowest(before), slowest(after));
            if (from === embedded) {
              goals.push(atMost("a backup adds to the slowest write", late, LATE_MS, " ms"));
            }
            for (const [when, values] of Object.entries({ before, during, after })) {
              table.set(`${from.name}, ${when} the backup`, values);
            }
          });
          await blame(to.name, async () => {
            const { rows } = await restoreBackup({
              file,
              dataDir: to.dataDir,
              databaseUrl: to.databaseUrl,
              masterKeys: [{ id: "bench", key: MASTER_KEY }],
              replace: false,
              loseSecrets: false,
            });
            const { size } = await stat(file);
            table.set(`${to.name}, restored`, { rows, "archive MB": size / MEGABYTE });
            source = await startHubAt(stage, to);
            await assertSameAccount(source.server.url, cookies, first);
          });
        }
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

/** Logs the first client of `startChatHub` in. */
const USERNAME = "client-0-0";
async function logIn(url: string) {
  const browser = actorOf(url, USERNAME);
  const login = { username: USERNAME, password: PASSWORD, remember: true };
  await ok(browser.post("/api/login", login));
  return browser;
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
  const { soul_id, session_token } = room;
  const history = `/api/chat?soul_id=${soul_id}&session_token=${session_token}`;
  const { messages } = await ok(client.get(history));
  if (!messages?.length) throw new Error("the room is lost");
  await ok(client.post("/api/chat", { ...room, content: "Hi." }));
}

async function downloadBackup(url: string, file: string): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const response = await fetch(`${url}/api/admin/backup`, { headers });
  if (!response.ok || !response.body) throw new Error(`the backup failed: ${response.status}`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
}

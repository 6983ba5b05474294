import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Actor,
  createActor,
  digestOf,
  eventually,
  freePort,
  keepLog,
  type LogKeeper,
  startOpenAiServer,
} from "@soul-hub/api/testing";
import { describe, expect, inject, it } from "vitest";
import { makePlace } from "./server-place.fixture.ts";
import { startServerProcess } from "./server-process.fixture.ts";

const { postgres, redis, haproxy } = inject("services");

const EXAMPLE = path.resolve(import.meta.dirname, "../../../examples/two-servers/haproxy.cfg");
const PEOPLE = 30;
const STREAMS = 3;

/** HAProxy as the example has it. Ends with the test run, as it reads its standard input. */
async function startHaproxy(hubs: readonly number[]) {
  const port = await freePort();
  const child: ChildProcess = spawn(haproxy ?? "", ["-db", "-f", EXAMPLE], {
    env: {
      HUB_BIND: `127.0.0.1:${port}`,
      HUB_ONE: `127.0.0.1:${hubs[0]}`,
      HUB_TWO: `127.0.0.1:${hubs[1]}`,
    },
    stdio: "ignore",
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Two of its looks at /readyz (haproxy.cfg). */
const HAPROXY_LOOKS_MS = 1_000;

/** Calls without a pause until it is told to stop; what is not answered with 200 is kept. */
function callAgainAndAgain(call: () => ReturnType<Actor["get"]>) {
  const refused: string[] = [];
  let answers = 0;
  let isOver = false;
  const calling = (async () => {
    while (!isOver) {
      const { status, text } = await call();
      if (status === 200) answers++;
      else refused.push(`${status} ${text}`);
      await sleep(20);
    }
  })();
  return {
    refused,
    get answers() {
      return answers;
    },
    async end() {
      isOver = true;
      await calling;
    },
  };
}

/** examples/two-servers, without the containers. */
describe.skipIf(!(postgres && redis && haproxy))("two servers behind HAProxy", () => {
  it("are replaced one after the other, and nobody notices", async () => {
    await using place = await makePlace("postgresql");
    await using model = await startOpenAiServer({ reply: () => "So it is." });
    const ports = [await freePort(), await freePort()];
    await using proxy = await startHaproxy(ports);
    const start = (n: number) =>
      startServerProcess({
        ...place.env,
        PORT: String(ports[n]),
        BASE_URL: proxy.url,
        REDIS_URL: redis ?? "",
        TRUST_PROXY: "127.0.0.1",
        TEXT_MODEL: "openai-compatible:test",
        OPENAI_COMPATIBLE_BASE_URL: model.url,
      });
    const servers = await Promise.all([start(0), start(1)]);
    try {
      const actor = (name: string, apiKey?: string) =>
        createActor({ name, baseUrl: () => proxy.url, ...(apiKey ? { apiKey } : {}) });
      await eventually(async () => expect((await actor("nobody").get("/readyz")).status).toBe(200));
      // One of them answers. HAProxy looks twice a second, and by then it knows the other, too:
      // whoever comes before that is on the first one, and nobody on the second.
      await sleep(HAPROXY_LOOKS_MS);
      const { body } = await actor("ada").post("/api/register", {
        username: "ada",
        password: "correct horse battery",
        email: "ada@example.org",
      });
      await actor("the operator", await place.adminToken()).post("/api/admin/pass", {
        username: "ada",
        tier: "pro",
        days: 1,
      });
      const ada = actor("ada", body.api_key);
      const soul = await ada.post("/api/souls", { title: "Orla", content: "I keep the light." });
      const room = { soul_id: soul.body.id as number, session_token: "hall" };

      const people: LogKeeper[] = Array.from({ length: PEOPLE }, (_, n) =>
        keepLog({
          userAgent: `person ${n}`,
          url: () => proxy.url,
          room,
          overSse: n < STREAMS,
          isHandedOver: true,
        }),
      );
      const everybodyIsHere = () =>
        eventually(() => {
          for (const { online } of people) expect(online).toBe(PEOPLE + 1);
        });
      const address = `/api/chat-sync?soul_id=${room.soul_id}&session_token=hall&last_id=0`;
      const polling = callAgainAndAgain(() => ada.get(address));
      await everybodyIsHere();
      const chatting = callAgainAndAgain(() =>
        ada.post("/api/chat", { ...room, content: "Is it dark?" }),
      );
      const syncs = () => people.map((person) => person.syncs);

      for (const n of [0, 1]) {
        const before = chatting.answers;
        const synced = syncs();
        const asked = performance.now();
        expect(await servers[n]?.stop()).toBe(0);
        // Decisions of the realtime design: 10 s in all.
        expect(performance.now() - asked).toBeLessThan(10_000);
        expect(syncs()).not.toEqual(synced);
        await eventually(() => expect(chatting.answers).toBeGreaterThan(before + 5));
        servers[n] = await start(n);
        await eventually(async () =>
          expect((await servers[n]?.actor({ name: "HAProxy" }).get("/readyz"))?.status).toBe(200),
        );
        await sleep(HAPROXY_LOOKS_MS);
      }
      await chatting.end();
      await polling.end();
      expect([...chatting.refused, ...polling.refused]).toEqual([]);

      const { db, close } = await place.open();
      const log = await db
        .selectFrom("chat_messages")
        .select(["id", "content"])
        .orderBy("id")
        .execute();
      await close();
      expect(log).toHaveLength(2 * chatting.answers);
      const ids = log.map(({ id }) => id);
      const digest = log.reduce((so, { content }) => digestOf(so, content), 0);
      for (const person of people) {
        await eventually(() => expect(person.ids.length).toBe(ids.length));
        // Not whether anybody was counted out: who takes longer than the grace of 3 s to come back
        // is, and how long that takes is the machine's affair.
        expect([person.faults, person.restarts]).toEqual([[], 0]);
        expect(person.ids).toEqual(ids);
        expect(person.digest).toBe(digest);
        person.vanish();
      }
    } finally {
      await Promise.all(servers.map((server) => server.kill()));
    }
  }, 120_000);
});

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openRoom } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { emptyDatabase } from "../../testing/test-database.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";
import { type Exchange, exchanges, type Names, ROOM } from "./rpc-exchanges.fixture.ts";

/** So long nothing more has come. */
const QUIET_MS = 300;
const AT_ONCE = 16;

/** Docs/decisions/0020: whatever a client says, it hears the words of tRPC's own adapter. */
let ours: TestHub;
let theirs: TestHub;
let names: Names;
beforeAll(async () => {
  const database = await emptyDatabase("pglite");
  ours = await startTestHub({ database, fanOut: "frames" });
  theirs = await startTestHub({ database, fanOut: "generators" });
  const ada = await ours.member("ada");
  const { soul_id } = await openRoom(ada);
  names = { soul_id, apiKey: ada.apiKey };
});
afterAll(() => Promise.all([ours?.close(), theirs?.close()]));

it("is kept, word for word", async () => {
  const all = exchanges(names);
  const next = all.entries();
  const heard: Record<"ours" | "theirs", Record<string, unknown>> = { ours: {}, theirs: {} };
  let said = 0;
  const lane = async () => {
    for (const [nth, { name, frames, query }] of next) {
      const [mine, other] = await Promise.all([meet(ours, query), meet(theirs, query)]);
      for (const turn of frames) {
        // In a room of its own: nobody hears of the others.
        const own = inRoom(nth, turn);
        await Promise.all([mine.tell(own), other.tell(own)]);
        // One of them may be late.
        await eventually(() => expect(mine.heard()).toEqual(other.heard())).catch(() => undefined);
      }
      heard.ours[name] = mine.heard();
      heard.theirs[name] = other.heard();
      said += other.heard().frames.length;
      mine.leave();
      other.leave();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  expect(heard.ours).toEqual(heard.theirs);
  // Silence would be equal, too.
  expect(said).toBeGreaterThan(all.length);
}, 120_000);

async function meet(hub: TestHub, query = "") {
  const socket = new WebSocket(`${hub.url.replace("http", "ws")}/trpc${query}`);
  const texts: string[] = [];
  let heardAt = 0;
  let code: number | undefined;
  const note = () => {
    heardAt = performance.now();
  };
  socket.on("message", (data, isBinary) => {
    texts.push(`${isBinary ? "bytes " : ""}${data}`);
    note();
  });
  socket.on("close", (given) => {
    code = given;
    note();
  });
  await once(socket, "open");
  return {
    /** By the id it is about: of two calls, either may be answered first. */
    heard: () => ({ code, frames: byId(texts.map(withoutChance)) }),
    async tell(turn: Exchange["frames"][number]) {
      note();
      for (const frame of Array.isArray(turn) ? turn : [turn]) socket.send(frame);
      while (performance.now() - heardAt < QUIET_MS) await sleep(20);
    },
    leave: () => socket.terminate(),
  };
}

const inRoom = (nth: number, turn: Exchange["frames"][number]): Exchange["frames"][number] => {
  if (Array.isArray(turn)) return turn.flatMap((frame) => inRoom(nth, frame));
  return typeof turn === "string" ? turn.replaceAll(ROOM, `${ROOM}-${nth}`) : turn;
};

const idOf = (text: string) => /^\{"id":("(?:[^"\\]|\\.)*"|[^,]*)/.exec(text)?.[1] ?? text;

const byId = (texts: string[]): string[] =>
  texts
    .map((text, at) => ({ text, at, id: idOf(text) }))
    .sort((a, b) => a.id.localeCompare(b.id) || a.at - b.at)
    .map(({ text }) => text);

/** Names of requests and servers, and counts of what others do, differ between any two hubs. */
const withoutChance = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replaceAll(/"(\d+)\.[0-9a-f]{8}\.\d+"/g, '"$1.<node>"')
    .replaceAll(/"(?:created_at|updated_at)":"[^"]*"/g, '"at":""');

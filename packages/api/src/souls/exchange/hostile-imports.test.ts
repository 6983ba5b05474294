import {
  hostileCards,
  hostileLargeFiles,
  hostileZips,
  rawZip,
} from "@soul-hub/soul-formats/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ruleDatabase } from "../../testing/test-database.ts";
import { type PeopledHub, startPeopledHub } from "../souls.fixture.ts";
import { cardText, importFile, storedPackages } from "./exchange.fixture.ts";

const hostile = Object.entries({ ...hostileZips, ...hostileCards, ...hostileLargeFiles });
/** The bytes of each hostile file, which take long to make. */
const made = new Map<string, Uint8Array>();
function bytesOf(name: string, make: () => Uint8Array): Uint8Array {
  const bytes = made.get(name) ?? make();
  made.set(name, bytes);
  return bytes;
}

describe("POST /api/souls/import", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
  });
  afterAll(() => hub.close());

  it.each(hostile)("refuses %s, and stores nothing", async (name, make) => {
    const bytes = bytesOf(name, make);
    const own = await hub.publish();
    const queries = name in hostileLargeFiles ? [{}] : [{}, { soul_id: own }, { dry_run: 1 }];
    for (const query of queries) {
      const { status, body } = await importFile(hub.ada, bytes, query);
      expect([status, body.error]).toEqual([400, "import_invalid"]);
      expect(body.details).toHaveLength(1);
      expect(JSON.stringify(body)).not.toMatch(/node_modules|at \w+ \(|\/tmp\//);
    }
    expect(await storedPackages(hub)).toEqual([0, 0, 0]);
    expect((await hub.read(own)).version).toBe(1);
    await hub.ada.delete(`/api/soul/${own}`);
    expect((await hub.ada.get("/api/my-souls")).body.total).toBe(0);
  });

  it("stores equal bytes of simultaneous imports once, and none after the last holder", async () => {
    const card = cardText();
    const other = rawZip([
      { path: "SOUL.md", content: "x" },
      { path: "a/card.json", content: card },
      { path: "b/card.json", content: card },
    ]);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, nth) =>
        importFile(nth % 2 ? hub.ada : hub.bob, nth % 3 ? card : other),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await storedPackages(hub)).toEqual([12, 16, 1]);
    await Promise.all(
      answers.map(({ body }, nth) => (nth % 2 ? hub.ada : hub.bob).delete(`/api/soul/${body.id}`)),
    );
    expect(await storedPackages(hub)).toEqual([0, 0, 0]);
  });
});

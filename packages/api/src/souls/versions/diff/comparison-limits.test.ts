import { describe, expect, it, vi } from "vitest";
import { countedAs } from "../../../caller/caller.ts";
import { codeOf } from "../../../testing/gated-hub.ts";
import { startTestHub, type TestHub } from "../../../testing/test-hub.ts";
import { upTo } from "../../souls.fixture.ts";
import { createComparisonTurns } from "./comparison-turns.ts";

const lines = (count: number, text: string) => upTo(count).map((n) => `${text} ${n}\n`);

/** Publishes a soul with the given texts. Returns the path of the comparison of the last two. */
async function publishTexts(hub: TestHub, texts: string[]) {
  const ada = await hub.member("ada");
  const [content, ...later] = texts;
  const { body } = await ada.post("/api/souls", { title: "T", content });
  for (const text of later) await ada.put(`/api/soul/${body.id}`, { content: text });
  return { ada, path: `/api/version-diff?soul_id=${body.id}` };
}

describe("the rate limit of GET /api/version-diff", () => {
  it("counts a comparison as a search, and more for its time", async () => {
    await using hub = await startTestHub({ config: { rateLimits: true } });
    const texts = ["one", ...["old", "new"].map((word) => lines(2_001, word).join(""))];
    const { ada, path } = await publishTexts(hub, texts);
    const remaining = async (query: string) =>
      Number((await ada.get(query)).headers.get("ratelimit-remaining"));
    const before = await remaining("/api/souls");
    const afterSmall = await remaining(`${path}&from=1&to=1`);
    const afterLarge = await remaining(path);
    expect(before - afterSmall).toBeGreaterThanOrEqual(10);
    expect(afterSmall - afterLarge).toBeGreaterThan(10);
  });

  it("is checked when the turn comes", async () => {
    await using hub = await startTestHub({ config: { rateLimits: true } });
    const { path } = await publishTexts(hub, ["one", "two"]);
    const { comparing, rateLimits } = hub.hub;
    const run = vi.spyOn(comparing, "run");
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const first = comparing.run("another address", () => gate);
    const answer = hub.guest().get(path);
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(2));
    const guest = countedAs({ kind: "refused" }, "127.0.0.1", "read");
    await rateLimits?.("read", guest, { points: 1_200 }).catch(() => undefined);
    open();
    await first;
    expect(codeOf(await answer)).toEqual([429, "rate_limited"]);
  });
});

describe("the turns of comparisons", () => {
  it("alternate between addresses", async () => {
    const turns = createComparisonTurns();
    const order: string[] = [];
    const compare = (address: string) =>
      turns.run(address, async () => {
        order.push(address);
        await Promise.resolve();
      });
    await Promise.all(["a", "a", "a", "a", "b", "c"].map(compare));
    expect(order).toEqual(["a", "b", "c", "a", "a", "a"]);
  });

  it("end with overloaded after the wait, for the same address and for another", async () => {
    const turns = createComparisonTurns(1);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const first = turns.run("a", () => gate);
    for (const address of ["a", "b"]) {
      const late = turns.run(address, () => Promise.reject(new Error("It has run.")));
      await expect(late).rejects.toMatchObject({ code: "overloaded" });
    }
    open();
    await first;
    expect(await turns.run("a", () => Promise.resolve("next"))).toBe("next");
  });

  it("are not used for a client that has disconnected", async () => {
    await using hub = await startTestHub({ config: { rateLimits: true } });
    const { path } = await publishTexts(hub, ["one", "two"]);
    const run = vi.spyOn(hub.hub.comparing, "run");
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const first = hub.hub.comparing.run("another address", () => gate);
    const client = new AbortController();
    const answer = fetch(`${hub.url}${path}`, { signal: client.signal }).catch(() => "gone");
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(2));
    const aborted = vi.spyOn(AbortController.prototype, "abort");
    client.abort();
    expect(await answer).toBe("gone");
    const cancelled = expect.objectContaining({ code: "cancelled" });
    await vi.waitFor(() => expect(aborted).toHaveBeenCalledWith(cancelled));
    aborted.mockRestore();
    open();
    await first;
    await expect(run.mock.results[1]?.value).rejects.toMatchObject({ code: "cancelled" });
  });
});

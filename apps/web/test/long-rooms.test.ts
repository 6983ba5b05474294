import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "./browser-hub.ts";
import { eventually, isLive, passHolder, say } from "./steps.ts";

const { chromium } = inject("services");
/** People who talk at once, and what each of them says: with the replies, 1,000 messages. */
const TALKERS = 5;
const LINES = 100;
const MESSAGES = 2 * TALKERS * LINES;
const LONG_MS = 240_000;

describe.skipIf(!chromium)("a room of 1,000 messages in the browser", () => {
  let hub: BrowserHub;
  let reader: Visitor;
  let keys: string[];

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    reader = await hub.visitor();
    const names = Array.from({ length: TALKERS }, (_, at) => `talker${at}`);
    keys = await Promise.all(names.map((name) => passHolder(hub, name, "pro")));
    await speak("first");
    await Promise.all(
      keys.map(async (key, who) => {
        const lines = who === 0 ? LINES - 1 : LINES;
        for (let line = 1; line <= lines; line++) await speak(`${who} says ${line}.`, key);
      }),
    );
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose]());

  const speak = (content: string, key = keys[0]) =>
    hub.post("/api/chat", { soul_id: 1, session_token: "long", content }, key);
  const lines = () => reader.page.locator(".line");
  const scrollTo = (top: number) =>
    reader.page.locator(".room__scroll").evaluate((box, to) => {
      box.scrollTop = to;
    }, top);
  /** Where a line stands in the window. */
  const topOf = (text = "") =>
    reader.page.locator(".room__scroll").evaluate((box, said) => {
      const all = [...box.querySelectorAll(".line")];
      const line = all.find(
        (one) => one.querySelector(".line__said, .line__reply")?.textContent === said,
      );
      return Math.round((line?.getBoundingClientRect().top ?? 0) - box.getBoundingClientRect().top);
    }, text);
  /** The first line in the window: which it is, and where it stands. */
  const topLine = () =>
    reader.page.locator(".room__scroll").evaluate((box) => {
      const from = box.getBoundingClientRect().top;
      const all = [...box.querySelectorAll(".line")];
      const line = all.find((one) => one.getBoundingClientRect().bottom > from);
      return {
        text: line?.querySelector(".line__said, .line__reply")?.textContent,
        top: Math.round((line?.getBoundingClientRect().top ?? 0) - from),
      };
    });

  it("opens at its newest line", async () => {
    const { page } = reader;
    await page.goto("/chat/1/long");
    await isLive(page);
    await eventually(() => lines().count()).toBe(200);
    await eventually(() => lines().last().isVisible()).toBe(true);
    const distance = () =>
      page
        .locator(".room__scroll")
        .evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await eventually(distance).toBeLessThan(2);
    expect(await page.getByRole("button", { name: "Newest" }).count()).toBe(0);
  });

  it(
    "loads upwards by itself, and the reader's line stays where it is",
    async () => {
      for (let count = 200; count < MESSAGES; count = await lines().count()) {
        // At the very top no browser holds the place by itself.
        await scrollTo(count === 200 ? 0 : 400);
        const before = await topLine();
        await eventually(() => lines().count()).toBeGreaterThan(count);
        const holdsPlace = async () => near(before.top)(await topOf(before.text));
        const cameTwice = async () => (await lines().count()) > count + 200;
        // Two pages in one go do move it still.
        await eventually(async () => (await holdsPlace()) || (await cameTwice())).toBe(true);
      }
      await scrollTo(0);
      await reader.page.locator(".line__said").getByText("first", { exact: true }).waitFor();
      expect(await lines().count()).toBe(MESSAGES);
      expect(await reader.page.getByText("Earlier messages").count()).toBe(0);
    },
    LONG_MS,
  );

  it("counts what comes meanwhile without moving the reader, and leads to it", async () => {
    const { page } = reader;
    const before = await topLine();
    await speak("Anybody up there?");
    await page.getByRole("button", { name: "2 new" }).waitFor();
    expect(await topLine()).toEqual(before);
    await page.getByRole("button", { name: "2 new" }).click();
    await page.getByText("Anybody up there?", { exact: true }).waitFor();
    await page.getByRole("button", { name: /new/ }).waitFor({ state: "detached" });
  });

  it("marks what is new to somebody who comes back to the tab", async () => {
    const { page } = reader;
    const setVisible = (state: "visible" | "hidden") =>
      page.evaluate((to) => {
        Object.defineProperty(document, "visibilityState", { configurable: true, value: to });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await setVisible("hidden");
    await speak("While you were out.");
    await eventually(() => page.title()).toMatch(/^\(2\) /);
    await setVisible("visible");
    const mark = page.getByText("New since you were away");
    await mark.waitFor();
    expect(
      await mark.evaluate((one) => one.closest("p")?.nextElementSibling?.textContent),
    ).toContain("While you were out.");
    expect(await page.title()).not.toMatch(/^\(/);
    await say(page, "Back again.");
    await mark.waitFor({ state: "detached" });
  });

  it("ran without a complaint", () => {
    expect([reader.complaints, reader.strayRequests]).toEqual([[], []]);
  });
});

/** Less than a line's height: not a jump that anybody could see. */
const near = (expected: number) => (top: number) => Math.abs(top - expected) <= 2;

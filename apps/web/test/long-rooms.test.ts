import { beforeAll, expect, it } from "vitest";
import { describeBrowser } from "./describe-browser.ts";
import { eventually, isLive, passHolder, say } from "./steps.ts";

/**
 * The number of clients that send messages concurrently. Their messages and the replies are 1,000
 * in total.
 */
const TALKERS = 5;
const LINES = 100;
const MESSAGES = 2 * TALKERS * LINES;
/** The tolerated movement of a message, because browsers round positions to whole pixels. */
const TOLERANCE_PX = 2;
const SETTLED_FRAMES = 30;
const visitors = { reader: { as: "guest" } } as const;

describeBrowser("a room of 1,000 messages", { visitors }, (hub, { reader }) => {
  let keys: string[];

  beforeAll(async () => {
    const names = Array.from({ length: TALKERS }, (_, at) => `talker${at}`);
    keys = await Promise.all(names.map((name) => passHolder(hub, name, "pro")));
    await speak("first");
    await Promise.all(
      keys.map(async (key, who) => {
        const lines = who === 0 ? LINES - 1 : LINES;
        for (let line = 1; line <= lines; line++) await speak(lineOf(who, line), key);
      }),
    );
  });

  const speak = (content: string, key = keys[0]) =>
    hub.post("/api/chat", { soul_id: 1, session_token: "long", content }, key);
  const lines = () => reader.page.locator(".line");
  const scrollTo = (top: number) =>
    reader.page.locator(".room__scroll").evaluate((box, to) => {
      box.scrollTop = to;
    }, top);
  /** Reads the text and position of the first visible message. */
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

  const distanceToEnd = () =>
    reader.page
      .locator(".room__scroll")
      .evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);

  it("opens at its newest message", async () => {
    const { page } = reader;
    await page.goto("/chat/1/long");
    await isLive(page);
    await eventually(() => lines().count()).toBe(200);
    await eventually(() => lines().last().isVisible()).toBe(true);
    await eventually(distanceToEnd).toBeLessThan(2);
    await eventually(() => page.getByRole("button", { name: "Newest" }).count()).toBe(0);
  });

  /**
   * Scrolls to `top` and waits while earlier messages load and get their heights.
   * @returns the largest displacement of the first visible message in any painted frame, px
   */
  const readOnAt = (top: number) =>
    reader.page.locator(".room__scroll").evaluate(
      async (box, { top, frames }) => {
        const frame = () => new Promise(requestAnimationFrame);
        const all = () => [...box.querySelectorAll(".line")];
        const count = all().length;
        box.scrollTop = top;
        await frame();
        const from = box.getBoundingClientRect().top;
        let line: Element | undefined;
        let start = Number.NaN;
        let farthest = 0;
        const look = () => {
          line ??= all().find((one) => one.getBoundingClientRect().bottom > from);
          const place = line?.getBoundingClientRect().top ?? Number.NaN;
          if (Number.isNaN(start)) start = place;
          farthest = Math.max(farthest, Math.abs(place - start));
        };
        // Resize observers run in the order of their creation. The page's own observer, which keeps
        // the visible messages in place, is older and has already run.
        const drawing = new ResizeObserver(look);
        for (const lines of box.children) drawing.observe(lines);
        for (let still = 0; still < frames; still++) {
          await frame();
          if (all().length === count) still = 0;
        }
        drawing.disconnect();
        look();
        return farthest;
      },
      { top, frames: SETTLED_FRAMES },
    );

  it("loads earlier messages without moving the visible messages", async () => {
    for (let count = 200; count < MESSAGES; count = await lines().count()) {
      // At the very top of a scroll container, no browser keeps the visible content in place by
      // itself. The page has to do it.
      expect(await readOnAt(count === 200 ? 0 : 400)).toBeLessThanOrEqual(TOLERANCE_PX);
    }
    await scrollTo(0);
    await reader.page.locator(".line__said").getByText("first", { exact: true }).waitFor();
    await eventually(() => lines().count()).toBe(MESSAGES);
    await eventually(() => reader.page.getByText("Loading earlier messages").count()).toBe(0);
  });

  it("counts new messages without moving the reader, and scrolls to them on demand", async () => {
    const { page } = reader;
    const before = await topLine();
    await speak("Anybody up there?");
    await page.getByRole("button", { name: "2 new" }).waitFor();
    expect(await topLine()).toEqual(before);
    await page.getByRole("button", { name: "2 new" }).click();
    await page.getByText("Anybody up there?", { exact: true }).waitFor();
    await page.getByRole("button", { name: /new/ }).waitFor({ state: "detached" });
  });

  it("keeps the keyboard's focus on the button that scrolled to the newest message", async () => {
    const { page } = reader;
    const newest = page.getByRole("button", { name: "Newest" });
    await scrollTo(0);
    await newest.waitFor();
    await page.getByRole("textbox", { name: /^Message to/ }).focus();
    // The image and the menu of the composer are between the two.
    for (let back = 0; back < 3; back++) await page.keyboard.press("Shift+Tab");
    expect(await newest.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await eventually(distanceToEnd).toBeLessThan(2);
    // As if another window came to the front.
    await newest.evaluate((one) =>
      one.dispatchEvent(new FocusEvent("focusout", { bubbles: true })),
    );
    expect(await newest.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("Tab");
    await newest.waitFor({ state: "detached" });
  });

  it("marks messages received while the tab was hidden", async () => {
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
});

/**
 * Returns a message of one line up to a screenful, so that real heights differ from the page's
 * estimated height.
 */
const lineOf = (who: number, line: number) =>
  `${who} says ${line}.${"\nAnd goes on about it.".repeat((line % 5) * (line % 3) * 2)}`;

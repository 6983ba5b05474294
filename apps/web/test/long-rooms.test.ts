import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { describeBrowser } from "./describe-browser.ts";
import { comeBack, countsOf, row } from "./room-list/room-list-steps.ts";
import { eventually, isLive, passHolder, say, visit } from "./steps.ts";

/** The number of clients that send messages concurrently. */
const TALKERS = 5;
/** Messages of one person in a row. The page loads 200 at once, so one of these is the first. */
const REMARKS = 148;
const MESSAGES = 1_000;
/** The tolerated movement of a message, because browsers round positions to whole pixels. */
const TOLERANCE_PX = 2;
const SETTLED_FRAMES = 30;
/** The tolerated layout shift of messages, as browsers count it. */
const TOLERATED_SHIFT = 0.02;
/** The entry of a performance observer, which TypeScript does not know. */
interface LayoutShift extends PerformanceEntry {
  value: number;
  sources: readonly { node: Node | null }[];
}
const desktop = { viewport: { width: 1440, height: 900 } } as const;
const visitors = { reader: { as: "guest" }, ada: { as: "vip", look: desktop } } as const;
const code = "```js\nconst lamp = () => 1;\n```";
/** Every tenth reply contains code, whose colours come late. */
const reply = ({ messages }: { messages: readonly { content: string }[] }) =>
  messages.at(-1)?.content.includes("0.") ? code : "Yes.";

describeBrowser("a room of 1,000 messages", { visitors, model: { reply } }, (hub, visitors) => {
  const { reader, ada } = visitors;
  const room = { soul_id: 1, session_token: "long" };
  let keys: string[];

  beforeAll(async () => {
    const names = Array.from({ length: TALKERS }, (_, at) => `talker${at}`);
    keys = await Promise.all(names.map((name) => passHolder(hub, name, "pro")));
    await speak("first", ada.key);
    await speakAll(1, 75);
    await hub.put("/api/room", { ...room, answers: "addressed" }, ada.key);
    for (let line = 1; line <= REMARKS; line++) await speak(lineOf(0, line));
    await hub.put("/api/room", { ...room, answers: "always" }, ada.key);
    await speakAll(76, 85);
  });

  const speakAll = (from: number, to: number) =>
    Promise.all(
      keys.map(async (key, who) => {
        for (let line = from; line <= to; line++) await speak(lineOf(who, line), key);
      }),
    );
  const speak = (content: string, key = keys[0]) =>
    hub.post("/api/chat", { ...room, content }, key);
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
        let line: Element | null | undefined;
        let start = Number.NaN;
        let farthest = 0;
        const look = () => {
          line ??= all()
            .find((one) => one.getBoundingClientRect().bottom > from)
            // An earlier message of the same person takes away the name above the text.
            ?.querySelector(".line__said, .line__reply");
          // Before the browser renders a text, the text has no place.
          if (!line?.checkVisibility({ contentVisibilityAuto: true })) return;
          const place = line.getBoundingClientRect().top;
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
    for (const _ of ["image", "options", "newest"]) await page.keyboard.press("Shift+Tab");
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

  const firstNew = (page: Page) =>
    page.locator(".room__unread + .line").evaluate(({ id }) => Number(id.replace("message-", "")));
  /** The ids of all messages, once the guest's page has the last one. */
  async function idsUpTo(last: unknown): Promise<number[]> {
    await reader.page.locator(`#message-${last}`).waitFor();
    return lines().evaluateAll((all) => all.map(({ id }) => Number(id.replace("message-", ""))));
  }
  /** Id of the last message whose end is in view. */
  const lastInView = (page: Page) =>
    page.locator(".room__scroll").evaluate((box) => {
      const { bottom } = box.getBoundingClientRect();
      const seen = [...box.querySelectorAll(".line")].filter(
        (line) => line.getBoundingClientRect().bottom <= bottom,
      );
      return Number(seen.at(-1)?.id.replace("message-", ""));
    });

  /**
   * Loads the room, and waits for a message and then for some frames.
   * @returns the layout shift of messages
   */
  async function shiftOnOpening(page: Page, id: number | undefined): Promise<number> {
    await page.goto("/chat/1/long");
    await isLive(page);
    await page.locator(".room__unread").waitFor();
    await page.locator(`#message-${id}`).waitFor({ state: "attached" });
    return page.evaluate(async (frames) => {
      let shift = 0;
      const shifts = new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as LayoutShift[]) {
          const isOfMessages = entry.sources.some(({ node }) =>
            (node instanceof Element ? node : node?.parentElement)?.closest(".room__lines"),
          );
          if (isOfMessages) shift += entry.value;
        }
      });
      shifts.observe({ type: "layout-shift", buffered: true });
      for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame);
      return shift;
    }, 2 * SETTLED_FRAMES);
  }

  // Of 399 the page has one message above the first, so earlier ones come in while it is read.
  it.each([400, 399, 40, 4])(
    "opens at the first of %i new messages, without a jump",
    async (count) => {
      const { page, key } = ada;
      const long = "\nAnd on.".repeat(40);
      await speak(`One.${long}`);
      const all = await idsUpTo((await speak(`Two.${long}`)).message_id);
      const [before, seen, first] = all.slice(-count - 2);
      await hub.put("/api/seen", { ...room, id: seen }, key);

      expect(await shiftOnOpening(page, before)).toBeLessThanOrEqual(TOLERATED_SHIFT);
      expect(await firstNew(page)).toBe(first);
      const places = [".room__scroll", ".room__unread"].map((part) =>
        page.locator(part).evaluate((box) => box.getBoundingClientRect().top),
      );
      const [top = 0, mark = 0] = await Promise.all(places);
      expect(mark - top).toBeGreaterThan(0);
      expect(mark - top).toBeLessThan(40);
      await page.getByRole("button", { name: `${count} new` }).waitFor();
      // A message that was not in view does not count as seen.
      const below = all.length - all.indexOf(await lastInView(page)) - 1;
      await eventually(() => countsOf(hub, key, "long")).toEqual([Math.min(99, below), 0]);
    },
  );

  it("moves a member's place while the member reads on, in every tab", async () => {
    const { page, key, context } = ada;
    await speakAll(86, 87);
    const all = await idsUpTo((await speak("Three.")).message_id);
    await page.getByRole("button", { name: "26 new" }).waitFor();
    await page.locator(".room__scroll").hover();
    await page.mouse.wheel(0, 2_500);
    const below = async () => all.length - all.indexOf(await lastInView(page)) - 1;
    await eventually(below).toBeLessThan(24);
    await eventually(async () => (await countsOf(hub, key, "long"))[0] === (await below())).toBe(
      true,
    );
    const next = all.at(-(await below()));

    const other = await context.newPage();
    await shiftOnOpening(other, next);
    expect(await firstNew(other)).toBe(next);
    await visit(page, "/my-chats");
    const [left] = await countsOf(hub, key, "long");
    await row(page, "first")
      .getByRole("img", { name: `${left} new` })
      .waitFor();
    await other.getByRole("button", { name: /new$/ }).click();
    await eventually(() => countsOf(hub, key, "long")).toEqual([0, 0]);
    await comeBack(page);
    await eventually(() => row(page, "first").locator(".new-count").count()).toBe(0);
    await other.close();
  });

  it("does not count as seen what a link has skipped", async () => {
    const { page, key } = ada;
    await speakAll(88, 89);
    const all = await idsUpTo((await speak("Four.")).message_id);
    const target = all.at(-8);
    await page.goto(`/chat/1/long?at=${target}`);
    await page.locator(`#message-${target}:focus`).waitFor();
    expect(await lastInView(page)).toBeGreaterThanOrEqual(target ?? 0);
    await page.evaluate(async (frames) => {
      for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame);
    }, 2 * SETTLED_FRAMES);
    expect(await countsOf(hub, key, "long")).toEqual([22, 0]);
    // The way from the first new message on counts.
    await page.locator(".room__unread").evaluate((mark) => mark.scrollIntoView());
    await eventually(() => countsOf(hub, key, "long")).not.toEqual([22, 0]);
  });
});

/**
 * Returns a message of one line up to a screenful, so that real heights differ from the page's
 * estimated height.
 */
const lineOf = (who: number, line: number) =>
  `${who} says ${line}.${"\nAnd goes on about it.".repeat((line % 5) * (line % 3) * 2)}`;

import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "../browser-hub.ts";
import { signIn } from "../sign-in.ts";
import { enterRoom, eventually, isLive, passHolder } from "../steps.ts";
import { comeBack, row, setVisible, speak } from "./room-list-steps.ts";

const { chromium } = inject("services");
const LONG_MS = 240_000;

interface Shown {
  title: string;
  body: string;
  click: () => void;
}
type Recording = Window & { shown: Shown[]; asked: number };

describe.skipIf(!chromium)("notifications of mentions", { timeout: LONG_MS }, () => {
  let hub: BrowserHub;
  let benKey: string;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "", { reply: () => "Mm." });
    const adaKey = await passHolder(hub, "ada", "vip");
    benKey = await passHolder(hub, "ben", "vip");
    await speak(hub, adaKey, "tabs", "Tabs or spaces?");
    await speak(hub, adaKey, "owls", "Do owls sleep?");
    await speak(hub, benKey, "tabs", "An old one for @ada.");
    ({ page, context } = await hub.visitor({ viewport: { width: 1440, height: 900 } }));
    await context.addInitScript(record);
    await signIn(page, "ada");
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  const shown = (tab = page) =>
    tab.evaluate(() =>
      (window as unknown as Recording).shown.map(({ title, body }) => [title, body]),
    );
  const forget = (tab = page) =>
    tab.evaluate(() => (window as unknown as Recording).shown.splice(0));
  /** The number of mentions in a room that the browser does not show again. */
  const knownMentions = (room: string) =>
    page.evaluate(
      (name) => JSON.parse(localStorage["soulhub-known-mentions/ada"] ?? "{}")[name]?.mentions,
      room,
    );
  const mention = (room: string, text = "Look, @ada!") => speak(hub, benKey, room, text);

  it("are off at first", async () => {
    await enterRoom({ page, context, complaints: [], strayRequests: [] }, "owls");
    await mention("tabs");
    await comeBack(page);
    await row(page, "Tabs or spaces?").getByRole("img", { name: "mentions you" }).waitFor();
    expect(await shown()).toEqual([]);
  });

  it("are turned on by a switch, which shows how they look", async () => {
    await page.goto("/settings");
    const control = page.getByLabel("Notify me when a message contains @ada");
    expect(await control.isChecked()).toBe(false);
    await control.press("Space");
    await eventually(() => control.isChecked()).toBe(true);
    // Nothing that was there before is shown.
    expect(await shown()).toEqual([
      ["Notifications are on", "You will see mentions of you like this."],
    ]);
    await page.goto("/my-chats");
    const bell = page.getByRole("button", { name: "Notify me when a message contains @ada" });
    await eventually(() => bell.getAttribute("aria-pressed")).toBe("true");
  });

  it("show a mention in another room once, and lead to it", async () => {
    await page.goto("/chat/1/owls");
    await isLive(page);
    await row(page, "Tabs or spaces?").waitFor();
    const second = await context.newPage();
    await second.goto("/apps");
    await second.getByRole("article").first().waitFor();
    await mention("tabs");
    await Promise.all([comeBack(page), comeBack(second)]);
    const all = async () => [...(await shown()), ...(await shown(second))];
    await eventually(all).toEqual([
      ["You were mentioned in “Tabs or spaces?”", expect.any(String)],
    ]);
    await Promise.all([comeBack(page), comeBack(second)]);
    await row(page, "Tabs or spaces?").getByRole("img", { name: "7 new" }).waitFor();
    expect(await all()).toHaveLength(1);

    const by = (await shown()).length > 0 ? page : second;
    await by.evaluate(() => (window as unknown as Recording).shown[0]?.click());
    await by.waitForURL(/\/chat\/1\/tabs$/);
    await second.close();
  });

  it("show a mention in the open room only while the tab is hidden", async () => {
    await page.goto("/chat/1/owls");
    await isLive(page);
    await forget();
    // The tab lists the mention before the hub learns that it was seen.
    const listed = Promise.withResolvers<void>();
    await page.route(/rooms\.seen/, async (route) => {
      await listed.promise;
      await route.continue();
    });
    await mention("owls");
    await page.locator(".line").filter({ hasText: "Look, @ada!" }).first().waitFor();
    await comeBack(page);
    await eventually(() => knownMentions("1/owls")).toBe(1);
    // No list follows until the next mention.
    const mentioned = Promise.withResolvers<void>();
    await page.route(/chat\.sessions/, async (route) => {
      await mentioned.promise;
      await route.continue();
    });
    await setVisible(page, "hidden");
    listed.resolve();
    await eventually(() => knownMentions("1/owls")).toBe(0);
    await mention("owls", "Are you there, @ada?");
    mentioned.resolve();
    await eventually(() => shown()).toEqual([
      ["You were mentioned in “Do owls sleep?”", expect.any(String)],
    ]);
    await page.unrouteAll();
  });

  it("are turned off by the bell", async () => {
    await page.goto("/my-chats");
    // The bell moves once the list is loaded.
    await row(page, "Tabs or spaces?").waitFor();
    const control = page.getByLabel("Notify me when a message contains @ada");
    await control.press("Space");
    await eventually(() => control.getAttribute("aria-pressed")).toBe("false");
    await forget();
    for (let n = 0; n < 2; n++) {
      await mention("tabs");
      const listed = page.waitForResponse(/chat\.sessions/);
      await comeBack(page);
      await listed;
    }
    await row(page, "Tabs or spaces?").getByLabel(/new$/).waitFor();
    expect(await shown()).toEqual([]);
  });

  it("ask for permission only after a click, and say when it is denied", async () => {
    const other = await hub.visitor();
    await other.context.addInitScript(record);
    await other.context.addInitScript(() => {
      let permission = "default";
      Object.defineProperty(Notification, "permission", { get: () => permission });
      Notification.requestPermission = async () => {
        (window as unknown as Recording).asked++;
        permission = "denied";
        return "denied";
      };
    });
    await signIn(other.page, "ben");
    await other.page.goto("/my-chats");
    const control = other.page.getByLabel("Notify me when a message contains @ben");
    await control.waitFor();
    const asked = () => other.page.evaluate(() => (window as unknown as Recording).asked);
    expect(await asked()).toBe(0);
    await control.press("Space");
    await other.page.getByText("Your browser blocks notifications of this site.").waitFor();
    expect([await asked(), await control.getAttribute("aria-pressed")]).toEqual([1, "false"]);
    await other.context.close();
  });
});

/**
 * Runs in the page: keeps the notifications instead of showing them. It grants the permission,
 * because Chromium's headless shell never does.
 */
function record() {
  const recording = window as unknown as Recording;
  recording.shown = [];
  recording.asked = 0;
  class Recorded extends EventTarget {
    static permission: NotificationPermission = "granted";
    static requestPermission = async () => Recorded.permission;
    onclick: (() => void) | undefined;
    constructor(title: string, { body = "" }: NotificationOptions = {}) {
      super();
      recording.shown.push({ title, body, click: () => this.onclick?.() });
    }
    close() {}
  }
  Object.assign(window, { Notification: Recorded });
}

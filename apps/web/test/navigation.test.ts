import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "./browser-hub.ts";
import { PASSWORD } from "./sign-in.ts";
import { eventually, isLive, signUp } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const SOULS = 40;

describe.skipIf(!chromium)("navigation in the browser", () => {
  let hub: BrowserHub;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    const account = { username: "linus", password: PASSWORD, email: "l@example.org" };
    const key = String((await hub.post("/api/register", account)).api_key);
    for (let number = 1; number <= SOULS; number++) {
      await hub.post("/api/souls", { title: `Soul ${number}`, content: "Text." }, key);
    }
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  const scrollPosition = (page: Page) => page.evaluate(() => Math.round(scrollY));
  /** Scrolls the list of souls until it contains the card of the oldest soul. */
  async function scrollToOldest(page: Page) {
    const oldest = page.getByRole("link", { name: "Soul 1", exact: true });
    await eventually(async () => {
      await page.mouse.wheel(0, 2_000);
      return oldest.count();
    }).toBe(1);
    await oldest.scrollIntoViewIfNeeded();
    return oldest;
  }

  it.each([
    ["desktop", { width: 1440, height: 900 }],
    ["phone", { width: 390, height: 844 }],
  ])("restores the scroll position of the list on a %s", async (_, viewport) => {
    const { page, context } = await hub.visitor({ viewport });
    await page.goto("/");
    const oldest = await scrollToOldest(page);
    // The page may still scroll until the click, so the click itself records the position.
    await page.evaluate(() => {
      const record = () => sessionStorage.setItem("test:clicked-at", String(Math.round(scrollY)));
      addEventListener("click", record, { capture: true, once: true });
    });
    await oldest.click();
    await page.getByRole("heading", { name: "Soul 1", exact: true }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Soul 1", exact: true }).waitFor();
    const before = await page.evaluate(() => Number(sessionStorage.getItem("test:clicked-at")));
    expect(before).toBeGreaterThan(viewport.height);
    await eventually(() => scrollPosition(page)).toBe(before);
    await context.close();
  });

  it.each([
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "/\\elsewhere.example/",
    "/\t/elsewhere.example/",
    "javascript:alert(1)",
  ])("opens the list after signing in with the foreign next %j", async (next) => {
    const { page, context, complaints } = await hub.visitor();
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByLabel("Username").fill("linus");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Find a soul." }).waitFor();
    expect(page.url()).toBe(`${hub.url}/`);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("opens a path of the site after signing in, with its query", async () => {
    const { page, context } = await hub.visitor();
    await page.goto(`/sign-in?next=${encodeURIComponent("/?q=Soul&sort=popular#main")}`);
    await page.getByLabel("Username").fill("linus");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("/?q=Soul&sort=popular#main");
    await context.close();
  });

  it("ignores unusable values in a URL", async () => {
    const { page, context, complaints } = await hub.visitor();
    await page.goto("/?sort=sideways&role=5&q=");
    await page.getByRole("heading", { name: /^\d+ souls?/ }).waitFor();
    await page.goto("/apps/trip-plan?soul=sideways");
    await page.getByRole("heading", { name: "Trip Plan" }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("loads the account menu with its first use, by pointer and by keyboard", async () => {
    const { page, context } = await hub.visitor();
    await signUp(page, "margaret");
    const requested = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await page.route("**/assets/more-menu-*.js", async (route) => {
      requested.resolve();
      await released.promise;
      await route.continue();
    });
    await page.goto("/apps");
    const account = page.getByRole("button", { name: "Your account, margaret" });
    await account.focus();
    await page.keyboard.press("Enter");
    await requested.promise;
    // The avatar stays until the menu's code is there.
    expect(await account.isVisible()).toBe(true);
    released.resolve();
    await page.getByRole("menuitem", { name: "Settings" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    await account.click();
    await page.getByRole("menuitem", { name: "Settings" }).click();
    await page.waitForURL(/\/settings$/);
    await context.close();
  });

  it("opens a room from the list", async () => {
    const { page, context } = await hub.visitor();
    await page.goto("/");
    await page.getByRole("link", { name: "Talk: Soul 40" }).click();
    await isLive(page);
    await context.close();
  });
});

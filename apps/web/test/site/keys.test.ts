import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "../browser-hub.ts";
import { enterRoom, eventually, replied, signUp } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

describe.skipIf(!chromium)("keyboard shortcuts", () => {
  let hub: BrowserHub;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  const label = (page: Page) =>
    page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
  const query = (page: Page) => page.getByLabel("Find a page, a soul or a room");

  it("Ctrl K finds a soul and a page, and loads its code on first use", async () => {
    const { page, context, complaints } = await hub.visitor();
    await page.goto("/apps");
    await page.getByRole("article").first().waitFor();
    const isLoaded = () =>
      page.evaluate(() =>
        performance.getEntriesByType("resource").some(({ name }) => /command-palette/.test(name)),
      );
    expect(await isLoaded()).toBe(false);
    await page.keyboard.press("Control+k");
    await query(page).fill("chess");
    expect(await isLoaded()).toBe(true);
    await page.getByRole("button", { name: /^Chess Companion/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/soul\/\d+$/);
    await page.getByRole("heading", { name: "Chess Companion", level: 1 }).waitFor();
    await query(page).waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await query(page).fill("zzzzzz");
    await page.getByText("Nothing found").waitFor();
    await query(page).fill("mini");
    await page.getByRole("button", { name: "Mini apps" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/apps$/);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("Ctrl K works while typing, and lists a member's rooms", async () => {
    const visitor = await hub.visitor();
    const { page, context } = visitor;
    await signUp(page, "ada");
    await enterRoom(visitor, "palette");
    const title = (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";
    const box = page.getByLabel(/^Message to/);
    await box.fill("Hello?");
    await box.press("Enter");
    await replied(page);
    await box.press("Control+k");
    const room = page.getByRole("dialog").getByRole("button", { name: title });
    await room.waitFor();
    await page.keyboard.press("Escape");
    await query(page).waitFor({ state: "detached" });
    await context.close();
  });

  it("/ focuses the search, and ? shows the keys, but not while typing", async () => {
    const { page, context, complaints } = await hub.visitor();
    await page.goto("/");
    await page.getByRole("article").first().waitFor();
    await page.keyboard.press("/");
    await eventually(() => label(page)).toBe("Search souls");
    await page.keyboard.type("/?");
    await eventually(() => page.getByLabel("Search souls").inputValue()).toBe("/?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.locator("body").evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    // In a dialog the key "/" does nothing.
    await page.keyboard.press("/");
    expect(await label(page)).not.toBe("Search souls");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("of a single key can be turned off, and stay off", async () => {
    const { page, context } = await hub.visitor();
    await page.goto("/apps");
    await page.getByRole("article").first().waitFor();
    await page.keyboard.press("?");
    await page.getByLabel("Use / and ? as shortcuts").click();
    await page.reload();
    await page.getByRole("article").first().waitFor();
    await page.keyboard.press("?");
    await page.keyboard.press("/");
    await page.keyboard.press("Control+k");
    await query(page).fill("keyboard");
    expect(await page.getByRole("dialog", { name: "Keyboard shortcuts" }).count()).toBe(0);
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await context.close();
  });
});

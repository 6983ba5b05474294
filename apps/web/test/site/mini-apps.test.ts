import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "../browser-hub.ts";
import { PASSWORD } from "../sign-in.ts";
import { eventually, isLive } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

describe.skipIf(!chromium)("mini apps in the browser", () => {
  let hub: BrowserHub;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    const account = { username: "ada", password: PASSWORD, email: "ada@example.org" };
    await hub.post("/api/register", account);
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("are searched by words and by category, both in the URL", async () => {
    const { page, context, complaints } = await hub.visitor();
    await page.goto("/apps");
    const cards = page.getByRole("article");
    await eventually(() => cards.count()).toBeGreaterThan(10);
    await page.getByLabel("Search mini apps").fill("trip");
    await page.waitForURL(/\/apps\?q=trip$/);
    await eventually(() => cards.count()).toBe(1);
    await page.getByRole("link", { name: "Education" }).click();
    await page.getByRole("heading", { name: "No mini app matches" }).waitFor();
    await page.getByRole("link", { name: "See all mini apps" }).click();
    await eventually(() => page.getByLabel("Search mini apps").inputValue()).toBe("");
    await page.goto("/apps?category=education");
    await page.getByText(/^[1-9] mini apps?$/).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("keep a guest's form while the guest signs in, and show its message formatted", async () => {
    const { page, context, complaints } = await hub.visitor();
    await page.goto("/apps/trip-plan");
    await page.getByText("You need an account for this.").waitFor();
    await page.getByLabel("Where to").fill("Ljubljana");
    await page.getByLabel("Days").fill("6");
    await page.getByLabel("When").fill("September");
    await page.getByLabel("Who is coming").fill("Two of us");
    for (const name of ["Budget", "Pace"]) {
      await page.getByLabel(name, { exact: true }).selectOption({ index: 1 });
    }
    await page.getByRole("link", { name: "Sign in to continue" }).click();
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/apps\/trip-plan$/);
    await eventually(() => page.getByLabel("Where to").inputValue()).toBe("Ljubljana");
    expect(await page.getByText("You need an account for this.").count()).toBe(0);
    await page.getByRole("button", { name: /^Talk to/ }).click();
    await isLive(page);
    const box = page.getByLabel(/^Message to/);
    await eventually(() => box.inputValue()).toContain("- **Where to:** Ljubljana");
    await box.press("Enter");
    const said = page.locator(".line[data-by=user]").first();
    await said.locator("li", { hasText: "Where to: Ljubljana" }).waitFor();
    expect(await said.textContent()).not.toContain("**");
    // A sent form is not offered again.
    await page.goto("/apps/trip-plan");
    await page.getByRole("button", { name: /^Talk to/ }).waitFor();
    expect(await page.getByLabel("Where to").inputValue()).toBe("");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("and the form for a soul are one tap away on a phone", async () => {
    const { page, context } = await hub.visitor({ viewport: { width: 390, height: 844 } });
    await page.goto("/");
    const nav = page.getByRole("navigation", { name: "Main pages" });
    await nav.getByRole("link", { name: "Mini apps" }).click();
    await page.getByRole("heading", { name: "Mini apps", exact: true }).waitFor();
    await nav.getByRole("link", { name: "Publish" }).click();
    await page.getByRole("heading", { name: "Publish a soul" }).waitFor();
    await page.goto("/chat/1/phone-nav");
    await isLive(page);
    expect(await nav.count()).toBe(0);
    await context.close();
  });

  it("like souls show only what is known: no zeros, no placeholder for any model", async () => {
    const { page, context } = await hub.visitor();
    await page.goto("/");
    const card = page.getByRole("article").first();
    await card.waitFor();
    expect(await card.locator(".soul-facts").count()).toBe(0);
    await context.close();
  });
});

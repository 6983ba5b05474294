import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { PASSWORD } from "../sign-in.ts";
import { enterRoom, eventually, isLive, replied, say } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const look = { bypassCSP: true, reducedMotion: "reduce" } as const;

/** A guest becomes a member and keeps its conversations (0077). */
describe.skipIf(!chromium)("a guest's conversations", { timeout: LONG_MS }, () => {
  let hub: BrowserHub;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    const olga = { username: "olga", password: PASSWORD, email: "olga@example.org" };
    await hub.post("/api/register", olga);
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  const talkIn = async (visitor: Visitor, room: string): Promise<Page> => {
    const page = await enterRoom(visitor, room);
    await say(page, "Is it dark?");
    await replied(page);
    return page;
  };

  it("become those of the new account, in the same tab and in another one", async () => {
    const visitor = await hub.visitor(look);
    const { page } = visitor;
    await talkIn(visitor, "kept");
    await page.getByLabel(/^Message to/).fill("Half a thought");
    const other = await visitor.context.newPage();
    await other.goto("/chat/1/kept");
    await isLive(other);

    await page.goto("/sign-up?next=%2Fchat%2F1%2Fkept");
    await page.getByLabel("Username").fill("grace");
    await page.getByLabel("Email").fill("grace@example.org");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    expect(await page.getByLabel("Keep the 1 conversation of this browser").isChecked()).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL(/\/chat\/1\/kept$/);
    await eventually(() => page.getByLabel(/^Message to/).inputValue()).toBe("Half a thought");
    for (const tab of [page, other]) {
      await tab.getByRole("button", { name: "Your account, grace" }).waitFor();
      await tab.getByRole("button", { name: "Room menu" }).click();
      await tab.getByRole("menuitem", { name: "Rename" }).waitFor();
    }
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });

  it("are taken along to an older account, if its owner says so", async () => {
    const visitor = await hub.visitor(look);
    const { page } = visitor;
    await talkIn(visitor, "first");
    await talkIn(visitor, "second");
    await page.goto("/sign-in?next=%2Fmy-chats");
    await page.getByLabel("Username").fill("olga");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Take along 2 conversations" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Take along" }).click();
    await page.waitForURL(/\/my-chats$/);
    await eventually(() => page.locator('main a[href^="/chat/1/"]').count()).toBe(2);
    await visitor.context.close();
  });
});

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { button, line, repeating } from "../rooms/message-steps.ts";
import { PASSWORD, signIn, signInByForm } from "../sign-in.ts";
import { isLive, passHolder } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const look = { bypassCSP: true, reducedMotion: "reduce" } as const;

/** Blocks (0064) and the deletion of an account (0063). */
describe.skipIf(!chromium)("leaving people and the hub", { timeout: LONG_MS }, () => {
  let hub: BrowserHub;
  let ada: Visitor;
  let bob: Visitor;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "", { reply: repeating });
    const keys = {
      ada: await passHolder(hub, "ada", "vip"),
      bob: await passHolder(hub, "bob", "vip"),
      carol: await passHolder(hub, "carol", "vip"),
    };
    const ask = (by: keyof typeof keys, session_token: string, content: string) =>
      hub.post("/api/chat", { soul_id: 1, session_token, content }, keys[by]);
    await ask("carol", "shared", "Welcome");
    await ask("bob", "shared", "Something rude");
    await ask("ada", "adas", "Mine");
    await ask("ada", "quiet", "Good evening");
    const rude = { soul_id: 1, session_token: "quiet", content: "Rude again" };
    await hub.post("/api/say", rude, keys.bob);
    [ada, bob] = [await hub.visitor(look), await hub.visitor(look)];
    await signIn(ada.page, "ada");
    await signIn(bob.page, "bob");
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  const dialog = (page: Page) => page.getByRole("dialog");

  it("a block folds messages, and closes the own rooms", async () => {
    const { page } = ada;
    await page.goto("/u/bob");
    await button(page, "Block: bob").click();
    await dialog(page).getByText("The hub tells them nothing").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await button(dialog(page), "Block").click();
    await button(page, "Unblock: bob").waitFor();

    await page.goto("/chat/1/shared");
    await isLive(page);
    await page.getByText("Message of a blocked person ·").waitFor();
    expect(await page.getByText("Something rude", { exact: true }).count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await button(page, "Show").click();
    await page.getByText("Something rude", { exact: true }).waitFor();

    // The list of rooms folds it as well.
    await page.goto("/my-chats");
    const quiet = page.locator(".room-row").filter({ hasText: "Good evening" });
    await quiet.getByText("Message of a blocked person").waitFor();
    expect(await page.getByText("Rude again").count()).toBe(0);

    await bob.page.goto("/chat/1/adas");
    await bob.page.getByText("has blocked you").waitFor();
  });

  it("a person is blocked and unblocked in the list of a room, and in the settings", async () => {
    const { page } = ada;
    await bob.page.goto("/chat/1/shared");
    await isLive(bob.page);
    await page.goto("/chat/1/shared");
    await isLive(page);
    const people = page.getByRole("list", { name: "People" });
    await button(people, "Unblock: bob").click();
    await button(dialog(page), "Unblock").click();
    await line(page, "Something rude").first().waitFor();
    await button(people, "Block: bob").click();
    await button(dialog(page), "Block").click();
    await page.getByText("Message of a blocked person ·").waitFor();

    await page.goto("/settings");
    const blocked = page.getByRole("region", { name: "Blocked people" });
    await button(blocked, "Unblock: bob").click();
    await button(dialog(page), "Unblock").click();
    await blocked.getByText("You have blocked nobody").waitFor();
  });

  it("an account is deleted, and the deletion is undone", async () => {
    const { page } = ada;
    await page.goto("/settings");
    await button(page, "Delete my account").click();
    await dialog(page).getByLabel("Leave them to everyone").check();
    await dialog(page).getByLabel("Your password").fill("not this one");
    await button(dialog(page), "Delete my account").click();
    await dialog(page).getByText("The current password is wrong").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog(page).getByLabel("Your password").fill(PASSWORD);
    await button(dialog(page), "Delete my account").click();
    await page.getByRole("heading", { name: "Your account is closed" }).waitFor();
    await page.getByText(/It will be deleted on .*\d{4}\. Until then/).waitFor();
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect((await fetch(`${hub.url}/api/profile?username=ada`)).status).toBe(404);

    await page.goto("/sign-in");
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await button(page, "Sign in").click();
    await page.getByText("This account is closed and will be deleted").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Keep the account" }).click();
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await button(page, "Keep my account").click();
    await page.getByText("Your account stays.").waitFor();
    await signInByForm(page, "ada");
  });

  it("logs no errors", () => expect([...ada.complaints, ...bob.complaints]).toEqual([]));
});

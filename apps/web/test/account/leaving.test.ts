import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import { describeBrowser } from "../describe-browser.ts";
import { button, entry, line, menuNamed, repeating } from "../rooms/message-steps.ts";
import { PASSWORD, signInByForm } from "../sign-in.ts";
import { isLive, passHolder, visit } from "../steps.ts";

const look = { bypassCSP: true, reducedMotion: "reduce" } as const;
const visitors = { ada: { as: "vip", look }, bob: { as: "vip", look } } as const;
const model = { reply: repeating };

/** Blocks (0064) and the deletion of an account (0063). */
describeBrowser("leaving people and the hub", { visitors, model }, (hub, { ada, bob }) => {
  beforeAll(async () => {
    const carol = { key: await passHolder(hub, "carol", "vip") };
    const ask = ({ key }: { key: string }, session_token: string, content: string) =>
      hub.post("/api/chat", { soul_id: 1, session_token, content }, key);
    await ask(carol, "shared", "Welcome");
    await ask(bob, "shared", "Something rude");
    await ask(ada, "adas", "Mine");
    await ask(ada, "quiet", "Good evening");
    const rude = { soul_id: 1, session_token: "quiet", content: "Rude again" };
    await hub.post("/api/say", rude, bob.key);
  });

  const dialog = (page: Page) => page.getByRole("dialog");

  it("a block folds messages, and closes the own rooms", async () => {
    const { page } = ada;
    await page.goto("/u/bob");
    await button(page, "Block: bob").click();
    await dialog(page).getByText("The hub tells them nothing").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await button(dialog(page), "Block").click();
    await button(page, "Unblock: bob").waitFor();

    await visit(page, "/chat/1/shared");
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
    await visit(bob.page, "/chat/1/shared");
    await isLive(bob.page);
    await visit(page, "/chat/1/shared");
    await isLive(page);
    const more = async (verb: string) => {
      await button(page.getByRole("list", { name: "People" }), "More about bob").click();
      await entry(menuNamed(page, "More about bob"), verb).click();
    };
    await more("Unblock");
    await button(dialog(page), "Unblock").click();
    await line(page, "Something rude").first().waitFor();
    await more("Block");
    await button(dialog(page), "Block").click();
    await page.getByText("Message of a blocked person ·").waitFor();

    await page.goto("/settings/people");
    const blocked = page.getByRole("region", { name: "Blocked people" });
    await button(blocked, "Unblock: bob").click();
    await button(dialog(page), "Unblock").click();
    await blocked.getByText("You have blocked nobody").waitFor();
  });

  it("an account is deleted, and the deletion is undone", async () => {
    const { page } = ada;
    await page.goto("/settings/data");
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
});

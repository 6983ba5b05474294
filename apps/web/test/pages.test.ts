import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "./browser-hub.ts";
import { PASSWORD } from "./sign-in.ts";
import { eventually, publishSoul, signUpByForm } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

describe.skipIf(!chromium)("the pages in the browser", () => {
  let hub: BrowserHub;
  let visitor: Visitor;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    visitor = await hub.visitor();
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("searches while typing, with the query in the URL", async () => {
    const { page } = visitor;
    await page.goto("/");
    await page.getByText(/^\d+ souls$/).waitFor();
    await page.getByLabel("Search souls").pressSequentially("chess");
    await page.waitForURL(/\?q=chess$/);
    await eventually(() => page.getByRole("article").count()).toBe(1);

    const other = await hub.visitor();
    await other.page.goto(page.url());
    await other.page.getByRole("link", { name: "Chess Companion", exact: true }).waitFor();
    await eventually(() => other.page.getByLabel("Search souls").inputValue()).toBe("chess");
    await other.context.close();

    await page.getByRole("button", { name: "Clear the search" }).click();
    await eventually(() => page.getByRole("article").count()).toBeGreaterThan(5);
    await page.getByRole("link", { name: "Education" }).click();
    await page.waitForURL(/\?role=education$/);
    await page.getByText(/^1 soul in 🎓 Education$/).waitFor();
  });

  it("opens a room from a card with one click", async () => {
    const { page } = visitor;
    await page.goto("/");
    await page
      .getByRole("link", { name: /^Talk: / })
      .first()
      .click();
    await page.waitForURL(/\/chat\/\d+\/[0-9a-f]{32}$/);
    await page.getByLabel(/^Message to/).waitFor();
  });

  it(
    "returns a guest to the publish page after signing up",
    async () => {
      const { page } = visitor;
      await page.goto("/publish");
      await page.getByRole("link", { name: "Create an account" }).click();
      await page.getByLabel("Username").fill("soulhub");
      await page.getByLabel("Email").fill("grace@example.org");
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Create account" }).click();
      await page.getByText("That username is taken.").waitFor();
      await page.getByLabel("Username").fill("grace");
      await page.getByRole("button", { name: "Create account" }).click();
      await page.waitForURL(/\/publish$/);
      await page.getByRole("heading", { name: "Publish a soul" }).waitFor();
    },
    LONG_MS,
  );

  it("names missing fields, and restores a draft after a reload", async () => {
    const { page } = visitor;
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("Enter a title").waitFor();
    await page.getByText("Enter the soul's text").waitFor();
    await page.getByLabel("Title").fill("Unfinished");
    await page.getByLabel("Text of SOUL.md").fill("Half a thought.");
    await page.reload();
    await eventually(() => page.getByLabel("Text of SOUL.md").textContent()).toBe(
      "Half a thought.",
    );
    await page.getByRole("button", { name: "Discard draft" }).click();
    await eventually(() => page.getByLabel("Title").inputValue()).toBe("");
  });

  it(
    "edits a soul, makes it private, and deletes it after a confirmation",
    async () => {
      const { page } = visitor;
      await publishSoul(page, { title: "Short-lived", files: [["SOUL.md", "Before."]] });
      const address = page.url();
      await page.getByRole("link", { name: "Edit: Short-lived" }).click();
      await page.getByLabel("Text of SOUL.md").fill("After.");
      await page.getByRole("switch", { name: /^Public/ }).click();
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL(address);
      await page.getByText("After.").waitFor();
      await page.getByText("only you").waitFor();

      const stranger = await hub.visitor();
      await stranger.page.goto(address);
      await stranger.page.getByRole("heading", { name: "This soul doesn't exist" }).waitFor();
      await stranger.context.close();

      await page.getByRole("button", { name: "Delete: Short-lived" }).click();
      await page.getByRole("button", { name: "Delete permanently" }).click();
      await page.getByRole("heading", { name: "You have no souls yet" }).waitFor();
    },
    LONG_MS,
  );

  it(
    "turns a mini app's form into a draft message in a room with a matching soul",
    async () => {
      const { page } = visitor;
      await page.goto("/");
      await page.getByRole("link", { name: "Mini apps" }).first().click();
      await page.getByRole("link", { name: "Trip Plan" }).click();
      await page.getByLabel("Where to").fill("Ljubljana");
      const talk = page.getByRole("button", { name: /^Talk to/ });
      await talk.click();
      await page.getByText("When is required").waitFor();
      await page.getByLabel("Days").fill("6");
      await page.getByLabel("When").fill("September");
      await page.getByLabel("Who is coming").fill("Two of us");
      for (const name of ["Budget", "Pace"]) {
        await page.getByLabel(name, { exact: true }).selectOption({ index: 1 });
      }
      await talk.click();
      await page.waitForURL(/\/chat\/\d+\/[0-9a-f]{32}$/);
      const box = page.getByLabel(/^Message to/);
      await eventually(() => box.inputValue()).toContain("Ljubljana");
      await box.press("Enter");
      await page.getByRole("article").nth(1).waitFor();

      await page.getByRole("button", { name: "Your account, grace" }).click();
      await page.getByRole("menuitem", { name: "My chats" }).click();
      await page.locator(".room-row").filter({ hasText: "Wayfinder" }).click();
      await page.waitForURL(/\/chat\//);
      await page.getByText("Ljubljana").first().waitFor();
    },
    LONG_MS,
  );

  it("signs out and in again", async () => {
    const { page } = visitor;
    await page.getByRole("button", { name: "Your account, grace" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Username").fill("Grace");
    await page.getByLabel("Password", { exact: true }).fill("not this one");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Username or password is wrong.").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Your account, grace" }).waitFor();
  });

  it("explains empty and missing pages", async () => {
    const { page } = visitor;
    await page.goto("/no/such/page");
    await page.getByRole("heading", { name: "This page doesn't exist" }).waitFor();
    await page.goto("/soul/999999");
    await page.getByRole("heading", { name: "This soul doesn't exist" }).waitFor();
    await page.goto("/?q=zzzzzz");
    await page.getByRole("heading", { name: "No souls match “zzzzzz”" }).waitFor();
  });

  it(
    "fits a narrow phone on every page",
    async () => {
      const phone = await hub.visitor({ viewport: { width: 360, height: 740 } });
      await signUpByForm(phone.page, "thumb");
      for (const path of [
        "/",
        "/soul/1",
        "/publish",
        "/soul/1/history",
        "/u/soulhub",
        "/apps",
        "/apps/trip-plan",
        "/my-souls",
        "/my-chats",
        "/settings",
        "/settings/security",
        "/settings/keys",
        "/chat/1/narrow",
        "/sign-in",
        "/sign-in/wallet",
        "/wallet",
      ]) {
        await phone.page.goto(path, { waitUntil: "networkidle" });
        const overflow = await phone.page.evaluate(
          () => document.documentElement.scrollWidth - innerWidth,
        );
        expect({ path, overflow }).toEqual({ path, overflow: 0 });
      }
      expect(phone.complaints).toEqual([]);
    },
    LONG_MS,
  );

  it("logs no errors", () => {
    expect(visitor.complaints).toEqual([]);
    expect(visitor.strayRequests).toEqual([]);
  });
});

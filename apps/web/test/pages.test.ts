import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "./browser-hub.ts";
import { PASSWORD, signIn } from "./sign-in.ts";
import { eventually, passHolder, publishSoul, visit, visitAnew } from "./steps.ts";

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
    "edits a soul and makes it private",
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
    },
    LONG_MS,
  );

  it("deletes a soul after ten seconds of Undo, or before its author signs out", async () => {
    const { page, context } = await hub.visitor();
    const key = await passHolder(hub, "hasty", "vip");
    await signIn(page, "hasty");
    const publish = (title: string) => hub.post("/api/souls", { title, content: "Brief." }, key);
    const soul = `/api/soul/${(await publish("Short-lived")).id}`;
    const status = async (path: string) => (await fetch(hub.url + path)).status;
    const link = (title: string) => page.getByRole("link", { name: title, exact: true });
    const remove = async (title: string) => {
      await page.getByRole("button", { name: `Delete: ${title}` }).click();
      await link(title).waitFor({ state: "detached" });
    };
    await page.clock.install();
    await page.goto("/my-souls");
    await link("Short-lived").waitFor();
    // The list is old enough to be read again. The hub still has the soul then.
    await page.clock.fastForward(25_000);
    await remove("Short-lived");
    await publish("Later");
    await visit(page, "/publish");
    await visit(page, "/my-souls");
    await link("Later").waitFor();
    expect(await link("Short-lived").count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await link("Short-lived").waitFor();
    expect(await status(soul)).toBe(200);

    await remove("Short-lived");
    await page.clock.fastForward(10_000);
    await eventually(() => status(soul)).toBe(404);
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });

    const left = `/api/soul/${(await publish("Left behind")).id}`;
    await page.goto("/my-souls");
    await remove("Left behind");
    await page.getByRole("button", { name: "Your account, hasty" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
    expect(await status(left)).toBe(404);
    await context.close();
  });

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
      await page.getByText("Is required").first().waitFor();
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
    "fits a narrow phone on every page, whose texts are one word of the greatest length",
    async () => {
      const phone = await hub.visitor({ viewport: { width: 360, height: 740 } });
      const { page } = phone;
      const name = "W".repeat(32);
      const key = await passHolder(hub, name, "vip");
      await signIn(page, name);
      const fields = {
        title: "W".repeat(120),
        description: "W".repeat(2_000),
        domain: "W".repeat(100),
        compatibility: "W".repeat(100),
      };
      const files = Object.fromEntries(
        ["SOUL.md", "GREETING.md", "STARTERS.md", `${"W".repeat(97)}.md`].map((file) => [
          file,
          "W".repeat(500),
        ]),
      );
      const content = JSON.stringify(files);
      const { id } = await hub.post("/api/souls", { ...fields, content }, key);
      const change = { domain: "d".repeat(100), note: "W".repeat(500) };
      await hub.put(`/api/soul/${id}`, change, key);
      const room = { soul_id: id, session_token: "W".repeat(64) };
      await hub.post("/api/chat", { ...room, content: "W".repeat(500) }, key);
      await hub.put("/api/room", { ...room, title: "W".repeat(100) }, key);
      await hub.post("/api/keys", { name: "W".repeat(50), scopes: ["chat"] }, key);
      const { url } = await hub.post("/api/shares", room, key);
      const tooWide: { path: string; overflow: number }[] = [];
      const { title } = fields;
      for (const [path, shown] of [
        ["/", title],
        [`/?q=${title}`, title],
        [`/soul/${id}`, title],
        [`/soul/${id}/history`, "Present version"],
        [`/soul/${id}/edit`, "Save"],
        [`/u/${name}`, title],
        ["/publish", "Add a file"],
        ["/apps", "Trip Plan"],
        ["/apps/trip-plan", "Where to"],
        ["/my-souls", title],
        ["/my-chats", title],
        ["/settings", "Email"],
        ["/settings/security", "Sessions"],
        ["/settings/keys", "Keys for programs"],
        ["/settings/people", "Blocked people"],
        [`/chat/${id}/${room.session_token}`, "Live"],
        [`/chat/${id}/empty`, "Live"],
        [new URL(String(url)).pathname, "W".repeat(100)],
        ["/sign-in", "You are signed in"],
        ["/sign-in/wallet", "You are signed in"],
        ["/wallet", "wallet"],
      ] as const) {
        await visitAnew(page, path);
        await page.getByText(shown).first().waitFor();
        await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - innerWidth,
        );
        if (overflow > 0) tooWide.push({ path, overflow });
      }
      expect(tooWide).toEqual([]);
      expect(phone.complaints).toEqual([]);
    },
    LONG_MS,
  );

  it("logs no errors", () => {
    expect(visitor.complaints).toEqual([]);
    expect(visitor.strayRequests).toEqual([]);
  });
});

import { ADMIN_TOKEN } from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { PASSWORD } from "../sign-in.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const look = { bypassCSP: true, reducedMotion: "reduce" } as const;

/** A hub by invitation, without guests and without mail (0058). */
describe.skipIf(!chromium)("registration in the browser", { timeout: LONG_MS }, () => {
  let hub: BrowserHub;
  let visitor: Visitor;

  const config = {
    registration: "invite",
    guests: false,
    about: {
      contact: "mailto:operator@example.org",
      termsUrl: "https://example.org/terms",
      privacyUrl: null,
    },
  } as const;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "", {}, { config });
    visitor = await hub.visitor(look);
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("tells a guest to sign in, in a room", async () => {
    const { page } = visitor;
    await page.goto("/chat/1/for-members");
    await page.getByRole("heading", { name: "Sign in to talk" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("main").getByRole("link", { name: "Create an account" }).click();
    await page.getByText("This hub is by invitation").waitFor();
    expect(new URL(page.url()).searchParams.get("next")).toBe("/chat/1/for-members");
  });

  it("takes the code of an invite, from its link or by hand", async () => {
    const { page } = visitor;
    const invite = await hub.post("/api/admin/invites", { uses: 1, days: 1 }, ADMIN_TOKEN);
    await page.goto("/sign-up");
    await page.getByRole("link", { name: "Terms of use" }).waitFor();
    await page.getByLabel("Invite code").fill("no-such-code");
    await page.getByLabel("Username").fill("hedy");
    await page.getByLabel("Email").fill("hedy@example.org");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("This invite no longer works.").waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await page.goto(String(invite.url));
    await page.reload();
    await page.getByLabel("Username").fill("hedy");
    await page.getByLabel("Email").fill("hedy@example.org");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    expect(await page.getByLabel("Invite code").inputValue()).toBe(invite.code);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("button", { name: "Your account, hedy" }).waitFor();
  });

  it("says that the hub cannot be reached", async () => {
    const { page } = await hub.visitor(look);
    await page.goto("/sign-up");
    await page.getByLabel("Invite code").fill("any-code");
    await page.getByLabel("Username").fill("hedwig");
    await page.getByLabel("Email").fill("hedwig@example.org");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.route("**/trpc/accounts.register*", (route) => route.abort());
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("No connection to the hub").waitFor();
    await page.context().close();
  });

  it("names the operator where no mail can bring a new password", async () => {
    const { page } = await hub.visitor(look);
    await page.goto("/forgot-password");
    await page.getByRole("heading", { name: "This hub sends no mail" }).waitFor();
    await page.getByRole("link", { name: "operator@example.org" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  });

  it("says that a hub is closed to new accounts", async () => {
    const { page } = await hub.visitor(look);
    await page.route("**/trpc/*about.hub*", async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('"invite"', '"closed"');
      await route.fulfill({ response, body });
    });
    await page.goto("/sign-up");
    await page.getByRole("heading", { name: "This hub is closed to new accounts" }).waitFor();
    expect(await page.locator("form").count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  });

  it("logs no errors", () => expect(visitor.complaints).toEqual([]));
});

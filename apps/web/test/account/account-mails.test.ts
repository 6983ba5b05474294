import { type SmtpSink, startSmtpSink } from "@soul-hub/api/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { PASSWORD, signIn, signInByForm } from "../sign-in.ts";
import { eventually, signUpByForm } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const NEW_PASSWORD = "a quieter battery staple";
const look = { bypassCSP: true, reducedMotion: "reduce" } as const;

/** The pages at which mailed links end, and the settings of an address (0059). */
describe.skipIf(!chromium)("mails of an account in the browser", { timeout: LONG_MS }, () => {
  let mail: SmtpSink;
  let hub: BrowserHub;
  let visitor: Visitor;

  beforeAll(async () => {
    mail = await startSmtpSink();
    const required = { smtpUrl: mail.url, config: { emailVerification: "required" } } as const;
    hub = await startBrowserHub(chromium ?? "", {}, required);
    visitor = await hub.visitor(look);
  }, LONG_MS);
  afterAll(async () => {
    await hub?.[Symbol.asyncDispose]();
    await mail?.[Symbol.asyncDispose]();
  }, LONG_MS);

  const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  /** The link of the newest mail to an address, once there are that many mails. */
  async function linkTo(address: string, count: number): Promise<string> {
    await eventually(async () => mail.to(address).length).toBe(count);
    return mail.to(address).at(-1)?.links[0] ?? "";
  }

  it("verify the address of a new account, which a notice asks for", async () => {
    const { page } = visitor;
    await signUpByForm(page, "hedy");
    const notice = page.getByRole("complementary", { name: "Your address is not verified" });
    await notice.getByText("hedy@example.org").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const first = await linkTo("hedy@example.org", 1);
    await button(page, "Send again").click();
    await notice.getByText("A link is on its way").waitFor();
    const link = await linkTo("hedy@example.org", 2);

    // A used link says so before anything can be pressed.
    await page.goto(first);
    await page.getByText("This link no longer works").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    // Opening the page twice does not use the link.
    for (const _ of [1, 2]) await page.goto(link);
    await page.reload();
    await heading(page, "Your email address");
    expect(await axeViolations(page)).toEqual([]);
    await button(page, "Verify hedy@example.org").click();
    await page.getByText("Your address is verified.").waitFor();
    await notice.waitFor({ state: "detached" });
    await page.goto("/settings");
    await page.getByText("hedy@example.org is verified.").waitFor();
  });

  it("change the address, and take the change back", async () => {
    const { page } = visitor;
    await page.goto("/settings");
    const section = page.getByRole("region", { name: "Email", exact: true });
    await section.getByRole("button", { name: "Change the address" }).click();
    await section.getByLabel("New email").fill("new@example.org");
    await section.getByLabel("Your password").fill("not this one");
    await section.getByRole("button", { name: "Change the address" }).click();
    await section.getByText("The current password is wrong").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await section.getByLabel("Your password").fill(PASSWORD);
    await section.getByRole("button", { name: "Change the address" }).click();
    await page.getByText("A link is on its way to new@example.org").waitFor();
    await section.getByText("hedy@example.org is verified.").waitFor();

    await page.goto(await linkTo("new@example.org", 1));
    await button(page, "Change my address to new@example.org").click();
    await page.getByText("Your address is now new@example.org.").waitFor();
    await page.goto(await linkTo("hedy@example.org", 3));
    await button(page, "Change my address back to hedy@example.org").click();
    await page.getByText("Your address is hedy@example.org again").waitFor();
    await page.getByRole("link", { name: "Set a new password" }).click();
    await heading(page, "Forgot your password?");
  });

  it("set a new password, and replace the keys", async () => {
    const { page } = visitor;
    const login = { username: "hedy", password: PASSWORD };
    const { api_key } = await hub.post("/api/login", login);
    await page.goto("/sign-in");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("Username or email").fill("hedy@example.org");
    await button(page, "Send me a link").click();
    await heading(page, "Look into your mail");
    expect(await axeViolations(page)).toEqual([]);
    const link = await linkTo("hedy@example.org", 4);
    await page.goto(link);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel("New password", { exact: true }).fill("short");
    await button(page, "Set the password").click();
    await page.getByText("Must have at least 8 characters").waitFor();
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    expect(await page.getByLabel("Also replace my keys").isChecked()).toBe(true);
    await button(page, "Set the password").click();
    await heading(page, "Your password is changed");
    const headers = { authorization: `Bearer ${api_key}` };
    expect((await fetch(`${hub.url}/api/me`, { headers })).status).toBe(401);

    await page.goto(link);
    await page.reload();
    await page.getByText("This link no longer works").waitFor();
    await page.getByRole("link", { name: "Ask for a new link" }).waitFor();
    await signInByForm(page, "hedy", NEW_PASSWORD);
  });

  it("signs out one other browser by name", async () => {
    const { page } = visitor;
    const other = await hub.visitor({
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    });
    await signIn(other.page, "hedy", NEW_PASSWORD);
    await page.goto("/settings/security");
    const sessions = page.getByRole("region", { name: "Sessions" });
    await sessions.getByText("(this browser)").waitFor();
    await sessions.getByRole("button", { name: "Sign out this one: Firefox on Linux" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("That browser is signed out.").waitFor();
    await sessions.getByText("Firefox on Linux").waitFor({ state: "detached" });
    await other.page.goto("/settings");
    await other.page.getByText("Sign in to see your account.").waitFor();
    await other.context.close();
  });

  it("logs no errors", () => expect(visitor.complaints).toEqual([]));
});

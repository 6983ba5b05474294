import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "../browser-hub.ts";
import { PASSWORD, signIn } from "../sign-in.ts";
import { eventually, phone } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

describe.skipIf(!chromium)("forms in the browser", () => {
  let hub: BrowserHub;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    const account = { username: "ada", password: PASSWORD, email: "ada@example.org" };
    await hub.post("/api/register", account);
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  const focused = (page: Page) =>
    page.evaluate(() => document.activeElement?.getAttribute("name") ?? "");
  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();

  it("name each problem beside its field, and focus the first invalid field", async () => {
    const { page, context, complaints } = await hub.visitor();
    await page.goto("/sign-up");
    await press(page, "Create account");
    for (const name of ["Username", "Email", "Password"]) {
      await page.getByText(`${name} is required`).waitFor();
    }
    expect(await focused(page)).toBe("username");
    await page.getByLabel("Username").fill("grace");
    await eventually(() => page.getByText("is required").count()).toBe(2);
    await page.getByLabel("Email").fill("grace");
    await page.getByLabel("Password", { exact: true }).fill("short");
    await press(page, "Create account");
    await page.getByText("Must be an email address").waitFor();
    await page.getByText("Must have at least 8 characters").waitFor();
    await eventually(() => focused(page)).toBe("email");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("have letters of 16 px on a phone, which else zooms into a field", async () => {
    const { page, context } = await hub.visitor(phone);
    await page.goto("/sign-up");
    await page.getByLabel("Username").waitFor();
    const sizes = await page
      .locator("form input")
      .evaluateAll((all) => all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)));
    expect(sizes).toEqual([16, 16, 16]);
    await context.close();
  });

  it("focus the field that the hub refuses", async () => {
    const { page, context } = await hub.visitor();
    await page.goto("/sign-up");
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Email").fill("other@example.org");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(page, "Create account");
    await page.getByText("That username is taken.").waitFor();
    await eventually(() => focused(page)).toBe("username");
    await context.close();
  });

  it("fold the NFT gate, and unfold it when the hub refuses it", async () => {
    const { page, context } = await hub.visitor();
    await signIn(page, "ada");
    await page.goto("/publish");
    const gate = page.getByLabel("NFT gate");
    await page.getByLabel("Title").fill("Gated");
    await page.getByLabel("Text of SOUL.md").fill("Text.");
    expect(await gate.isVisible()).toBe(false);
    await page.getByText("More", { exact: true }).click();
    await gate.fill("No contract!");
    await page.getByText("More", { exact: true }).click();
    await press(page, "Publish");
    await page.getByText("One field needs your attention.").waitFor();
    await eventually(() => gate.isVisible()).toBe(true);
    await eventually(() => gate.evaluate((one) => one === document.activeElement)).toBe(true);
    await context.close();
  });

  it("show toasts away from the buttons of a form", async () => {
    const { page, context } = await hub.visitor();
    await signIn(page, "ada");
    await page.goto("/publish");
    await page.getByLabel("Files of the soul").setInputFiles([
      { name: "broken.zip", mimeType: "application/zip", buffer: Buffer.from("no zip") },
      // A package alone would open the dialog of an import.
      { name: "STYLE.md", mimeType: "text/markdown", buffer: Buffer.from("Short.") },
    ]);
    const toast = page.getByText("broken.zip could not be opened");
    await toast.waitFor();
    // The button would refuse the click if the toast covered it.
    await press(page, "Publish");
    await page.getByText("Enter a title").waitFor();
    expect(await toast.isVisible()).toBe(true);
    await context.close();
  });

  it("for signing in and up are replaced for a member", async () => {
    const { page, context } = await hub.visitor();
    await signIn(page, "ada");
    for (const path of ["/sign-in", "/sign-up", "/sign-in/wallet"]) {
      await page.goto(`${path}?next=%2Fapps`);
      await page.getByRole("heading", { name: "You are signed in" }).waitFor();
      expect(await page.locator("form").count()).toBe(0);
    }
    await press(page, "Continue");
    await page.waitForURL(/\/apps$/);
    await page.goto("/sign-in");
    await press(page, "Use another account");
    await page.getByLabel("Username").waitFor();
    await context.close();
  });
});

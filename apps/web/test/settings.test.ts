import { generateKeyPairSync, sign } from "node:crypto";
import { base58 } from "@scure/base";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "./browser-hub.ts";
import { PASSWORD } from "./sign-in.ts";
import { eventually, signUp } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const NEW_PASSWORD = "a quieter battery staple";

describe.skipIf(!chromium)("settings in the browser", () => {
  let hub: BrowserHub;
  let visitor: Visitor;
  const confirm = (name: string) =>
    visitor.page.getByRole("dialog").getByRole("button", { name }).click();
  const section = (name: string) => visitor.page.getByRole("region", { name });

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    visitor = await hub.visitor();
    await signUp(visitor.page, "hedy");
    await visitor.page.goto("/settings/keys");
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  const accepts = async (key: string | null) =>
    (await fetch(`${hub.url}/api/me`, { headers: { authorization: `Bearer ${key}` } })).status;

  it("shows the API key after the password is confirmed", async () => {
    const key = section("API key");
    await key.getByLabel("Your password").fill("not this one");
    await key.getByRole("button", { name: "Show the key" }).click();
    await key.getByRole("alert").waitFor();
    await eventually(() => key.getByText(/^shk_/).count()).toBe(0);
    await key.getByLabel("Your password").fill(PASSWORD);
    await key.getByRole("button", { name: "Show the key" }).click();
    expect(await accepts(await key.getByText(/^shk_/).textContent())).toBe(200);
  });

  it("replaces the API key after the password is confirmed", async () => {
    const key = section("API key");
    const before = await key.getByText(/^shk_/).textContent();
    await key.getByRole("button", { name: "Replace the key" }).click();
    const dialog = visitor.page.getByRole("dialog");
    await dialog.getByLabel("Your password").fill("not this one");
    await dialog.getByRole("button", { name: "Replace", exact: true }).click();
    await dialog.getByText("The current password is wrong").waitFor();
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Replace", exact: true }).click();
    await eventually(() => key.getByText(/^shk_/).textContent()).not.toBe(before);
    expect(await accepts(before)).toBe(401);
    expect(await accepts(await key.getByText(/^shk_/).textContent())).toBe(200);
  });

  it(
    "creates a key for a program, which is shown once, renames and revokes it",
    async () => {
      const { page } = visitor;
      const keys = section("Keys for programs");
      await keys.getByRole("button", { name: "Create a key" }).click();
      await keys.getByLabel("Name", { exact: true }).fill("laptop");
      await keys.getByLabel("Read your account").check();
      await keys.getByLabel("Expires after").selectOption("Never");
      await keys.getByLabel("Your password").fill("not this one");
      await keys.getByRole("button", { name: "Create the key" }).click();
      await keys.getByText("The current password is wrong").waitFor();
      await keys.getByLabel("Your password").fill(PASSWORD);
      await keys.getByRole("button", { name: "Create the key" }).click();
      const key = await keys.getByText(/^shk_\w{36}$/).textContent();
      expect(await accepts(key)).toBe(200);
      await page.reload();
      await keys.getByText("Chat, Read your account").waitFor();
      await keys.getByText("never expires").waitFor();
      expect(await page.content()).not.toContain(key);

      const name = page.getByRole("dialog").getByLabel("Name", { exact: true });
      await keys.getByRole("button", { name: "Rename the key laptop" }).click();
      await name.fill("phone");
      await page.keyboard.press("Escape");
      await keys.getByRole("button", { name: "Rename the key laptop" }).click();
      await name.fill("tablet");
      await page.keyboard.press("Enter");
      await focused(keys.getByRole("button", { name: "Rename the key tablet" }));

      const revoke = keys.getByRole("button", { name: "Revoke the key tablet" });
      await revoke.click();
      await page.getByRole("dialog").getByText("stops working at once").waitFor();
      await page.keyboard.press("Escape");
      await focused(revoke);
      await revoke.click();
      // The toast closes after 4 s, and the call of click() may take longer on a busy machine.
      const told = page.getByText("The key “tablet” is revoked.").waitFor();
      await confirm("Revoke");
      await told;
      await keys.getByText("tablet").waitFor({ state: "detached" });
      // The row with the button is gone.
      await focused(page.getByRole("main"));
      expect(await accepts(key)).toBe(401);
    },
    LONG_MS,
  );

  it("ends all other sessions", async () => {
    const other = await hub.visitor();
    await signIn(other.page, PASSWORD);
    await visitor.page.goto("/settings/security");
    await section("Sessions").getByRole("button", { name: "Sign out this one" }).waitFor();
    await section("Sessions").getByRole("button", { name: "Sign out all others" }).click();
    await confirm("Sign out");
    await visitor.page.getByText("One browser is signed out.").waitFor();
    await other.page.goto("/settings");
    await other.page.getByText("Sign in to see your account.").waitFor();
    await other.context.close();
  });

  it(
    "stores a provider key without showing it, and deletes it",
    async () => {
      const keys = section("Your own provider keys");
      await visitor.page.goto("/settings/keys");
      await keys.getByRole("button", { name: "Add a key" }).click();
      await keys.getByLabel("Provider").selectOption("openai-compatible");
      await keys.getByLabel("Key", { exact: true }).fill("sk-own-secret-9b7c");
      await keys.getByLabel("Model (optional)").fill("any-model");
      await keys.getByLabel("Address").fill("http://169.254.169.254/v1");
      await keys.getByRole("button", { name: "Test and save" }).click();
      await keys.getByRole("alert").waitFor();
      await keys.getByLabel("Address").fill(hub.model.url);
      await keys.getByRole("button", { name: "Test and save" }).click();
      await keys.getByText("…9b7c").waitFor();
      expect(await visitor.page.content()).not.toContain("sk-own-secret");
      await keys.getByRole("button", { name: /^Deactivate/ }).click();
      await keys.getByText(/^inactive/).waitFor();
      await keys.getByRole("button", { name: /^Delete the .* key/ }).click();
      await confirm("Delete");
      await keys.getByText("…9b7c").waitFor({ state: "detached" });
    },
    LONG_MS,
  );

  it(
    "binds a wallet with a signature, and signs in with it",
    async () => {
      const { page } = visitor;
      const wallet = newWallet();
      const bind = section("Wallet");
      await page.goto("/settings/security");
      await bind.getByText("Paste a signature").click();
      await bind.getByLabel("NEAR account").fill("hedy.near");
      await fillProof(page, wallet, "shk_ is no signature");
      await bind.getByRole("button", { name: "Bind this wallet" }).click();
      await bind.getByRole("alert").waitFor();
      await fillProof(page, wallet);
      await bind.getByRole("button", { name: "Bind this wallet" }).click();
      await bind.getByText("hedy.near is permanently bound").waitFor();

      const other = await hub.visitor();
      await other.page.goto("/sign-in");
      await other.page.getByRole("link", { name: "sign in with your wallet" }).click();
      await other.page.getByText("Paste a signature").click();
      await other.page.getByLabel("NEAR account").fill("hedy.near");
      await fillProof(other.page, wallet);
      await other.page.getByRole("button", { name: "Sign in" }).click();
      await other.page.getByRole("button", { name: "Your account, hedy" }).waitFor();
      await other.context.close();
    },
    LONG_MS,
  );

  it(
    "changes the password and signs out",
    async () => {
      const { page } = visitor;
      const change = section("Password");
      const login = { username: "hedy", password: PASSWORD };
      const { api_key } = await hub.post("/api/login", login);
      await change.getByLabel("Current password").fill(PASSWORD);
      await change.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
      await change.getByLabel("New password again").fill("something else");
      await change.getByRole("button", { name: "Change the password" }).click();
      await change.getByText("Must equal the new password").waitFor();
      await change.getByLabel("New password again").fill(NEW_PASSWORD);
      await change.getByLabel("Replace the API key and revoke all keys for programs").check();
      await change.getByRole("button", { name: "Change the password" }).click();
      await page.waitForURL(/\/sign-in/);
      await signIn(page, NEW_PASSWORD);
      expect(await accepts(String(api_key))).toBe(401);
    },
    LONG_MS,
  );

  it("has five groups, each with an address; on a phone, a list leads to them", async () => {
    const { page } = visitor;
    const names = ["Account", "Sign-in & security", "Keys", "Privacy & data", "People"];
    const list = page.getByRole("navigation", { name: "Settings" });
    const chosen = list.locator("[aria-current]");
    await page.goto("/settings");
    await section("Email").waitFor();
    await eventually(() => list.getByRole("link").count()).toBe(names.length);
    expect(await chosen.allInnerTexts()).toEqual([expect.stringMatching(/^Account/)]);
    await list.getByRole("link", { name: /^People/ }).click();
    await section("Blocked people").waitFor();
    expect(await chosen.allInnerTexts()).toEqual([expect.stringMatching(/^People/)]);

    await page.setViewportSize({ width: 390, height: 844 });
    await list.waitFor({ state: "hidden" });
    await page.getByRole("link", { name: "Settings", exact: true }).first().click();
    for (const name of names) {
      expect(await section("Email").isVisible()).toBe(false);
      await list.getByRole("link", { name: new RegExp(`^${name}`) }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await list.waitFor({ state: "hidden" });
      await page.goBack();
      await list.waitFor();
    }
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  it("reads the quota of the next day once the day is over", async () => {
    const page = await visitor.page.context().newPage();
    await page.route(/chat\.quota/, async (route) => {
      const response = await route.fetch();
      const soon = new Date(Date.now() + 1_000).toISOString().slice(0, 19).replace("T", " ");
      const body = (await response.text()).replace(/"resets_at":"[^"]*"/, `"resets_at":"${soon}"`);
      await route.fulfill({ response, body });
    });
    await page.goto("/settings");
    await page.getByText("Resets at ").waitFor();
    await page.waitForRequest(/chat\.quota/);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.close();
  });

  it("logs no errors", () => expect(visitor.complaints).toEqual([]));
});

const focused = (target: Locator) =>
  eventually(() => target.evaluate((element) => element === document.activeElement)).toBe(true);

async function signIn(page: Page, password: string): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Username").fill("hedy");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Your account, hedy" }).waitFor();
}

type Wallet = ReturnType<typeof newWallet>;

function newWallet() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  return { publicKey: `ed25519:${base58.encode(raw)}`, privateKey };
}

/** Signs the message that the page shows, as a wallet would. */
async function fillProof(page: Page, wallet: Wallet, signature?: string): Promise<void> {
  const message = await page.getByText(/^service_auth:\d{13}$/).textContent();
  const signed = sign(null, Buffer.from(message ?? ""), wallet.privateKey).toString("base64");
  await page.getByLabel("Public key").fill(wallet.publicKey);
  await page.getByLabel("Signature").fill(signature ?? signed);
}

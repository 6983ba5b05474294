import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { bindBody, createWallet, signAs } from "@soul-hub/api/testing";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { describeBrowser } from "./describe-browser.ts";
import { PASSWORD, signIn, signInByForm } from "./sign-in.ts";
import { eventually, visit } from "./steps.ts";

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, "../../..");
const visitors = { grace: { as: "member" }, reader: { as: "guest" } } as const;

/** The versions of a soul on its page (docs/decisions/0037), as its author and as another person. */
describeBrowser("the history of a soul", { visitors }, (hub, { grace, reader }) => {
  const wallet = createWallet("grace.near");

  beforeAll(async () => {
    await hub.post("/api/bind-wallet", bindBody(wallet), grace.key);
  });

  async function register(username: string): Promise<string> {
    const account = { username, password: PASSWORD, email: `${username}@example.org` };
    return String((await hub.post("/api/register", account)).api_key);
  }

  const folder = (rule: string) =>
    JSON.stringify({
      "SOUL.md": `You bring ships in.\n\nYou know every ${rule}.`,
      "STYLE.md": "Dry.",
    });

  /** Publishes a soul of three versions. Returns the path of its page. */
  async function threeVersions(): Promise<string> {
    const soul = { title: "Harbour Pilot", content: folder("rock") };
    const { id } = await hub.post("/api/souls", soul, grace.key);
    await hub.put(`/api/soul/${id}`, { content: folder("shoal"), note: "Shoals." }, grace.key);
    await hub.put(`/api/soul/${id}`, { content: folder("wreck"), note: "Wrecks." }, grace.key);
    return `/soul/${id}`;
  }

  const versions = (page: Page) =>
    page.getByRole("navigation", { name: "Versions" }).getByRole("link").allTextContents();
  const card = (page: Page, number: number) =>
    page.getByRole("region", { name: `Version ${number}`, exact: true });
  const changes = (page: Page, from: number, to: number) =>
    page.getByRole("region", { name: `Changes from v${from} to v${to}` });

  it("keeps the note of a save, and lists each version by number", async () => {
    const { page } = grace;
    const { id } = await hub.post(
      "/api/souls",
      { title: "Pilot", content: folder("rock") },
      grace.key,
    );
    await page.goto(`/soul/${id}/edit`);
    await page.getByLabel("Text of SOUL.md").fill("You bring ships in.\n\nYou know every shoal.");
    await page.getByLabel("What changed?").fill("x".repeat(501));
    await page.getByText("1 character over the limit").waitFor();
    await page.getByLabel("What changed?").fill("Shoals, not rocks.");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved as v2.").waitFor();
    await page.getByRole("link", { name: "v2", exact: true }).click();
    await card(page, 2).getByText("Shoals, not rocks.").waitFor();
    await changes(page, 1, 2).getByRole("deletion").getByText("rock").waitFor();
    await changes(page, 1, 2).getByRole("insertion").getByText("shoal").waitFor();
    await eventually(() => versions(page)).toEqual([
      "v2just nowShoals, not rocks.Present",
      expect.stringMatching(/^v1just now$/),
    ]);
    // The draft of a note ends with its save.
    await page.goto(`/soul/${id}/edit`);
    await eventually(() => page.getByLabel("What changed?").inputValue()).toBe("");
  });

  it("shows a version and a comparison at addresses of their own", async () => {
    const { page } = reader;
    const address = await threeVersions();
    await visit(page, `${address}/history`);
    await page.getByRole("link", { name: /^v1/ }).click();
    await page.waitForURL(/\?version=1$/);
    await page.getByRole("region", { name: "The text of v1" }).getByText("rock").waitFor();
    await page.getByRole("link", { name: /^v3/ }).click();
    await changes(page, 2, 3).getByRole("insertion").getByText("wreck").waitFor();
    await page.getByText("One file is unchanged.").waitFor();
    await page.getByLabel("Show").selectOption({ label: "Changes since v1, just now" });
    await page.waitForURL(/\?version=3&with=1$/);

    const other = await hub.visitor();
    await other.page.goto(page.url());
    await changes(other.page, 1, 3).getByRole("deletion").getByText("rock").waitFor();
    await changes(other.page, 1, 3).getByRole("insertion").getByText("wreck").waitFor();
    // Whichever version is shown, a comparison goes from the older one to the newer one.
    await visit(other.page, `${address}/history?version=1&with=3`);
    await changes(other.page, 1, 3).getByRole("insertion").getByText("wreck").waitFor();
    await visit(other.page, `${address}/history?version=2&with=0`);
    await other.page.getByRole("region", { name: "The text of v2" }).getByText("shoal").waitFor();
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });

  it("says what differs where no text does", async () => {
    const { page } = reader;
    const soul = { title: "Pilot", content: '{"A.md":"a","B.md":"b"}' };
    const { id } = await hub.post("/api/souls", soul, grace.key);
    await hub.put(`/api/soul/${id}`, { content: '{"B.md":"b","A.md":"a"}' }, grace.key);
    await hub.put(`/api/soul/${id}`, { role: "travel", domain: "sea" }, grace.key);
    await hub.put(`/api/soul/${id}`, { title: "Pilot" }, grace.key);
    await visit(page, `/soul/${id}/history?version=2`);
    await changes(page, 1, 2).getByText("Other order of files.").waitFor();
    await visit(page, `/soul/${id}/history?version=3`);
    await changes(page, 2, 3).getByText("Only category, domain.").waitFor();
    await visit(page, `/soul/${id}/history?version=4`);
    await changes(page, 3, 4).getByText("Nothing changed.").waitFor();
  });

  it("copies the whole digest", async () => {
    const address = await threeVersions();
    const { page, context } = await hub.visitor();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await visit(page, `${address}/history`);
    const { data } = await (await fetch(`${hub.url}/api${address}`)).json();
    await card(page, 3).getByText(data.digest.slice(0, 19)).waitFor();
    await card(page, 3).getByRole("button", { name: "Copy digest" }).click();
    await card(page, 3).getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(data.digest);
    await context.close();
  });

  it("changes the note of a version", async () => {
    const { page } = grace;
    const address = await threeVersions();
    await visit(page, `${address}/history?version=2`);
    await page.getByRole("button", { name: "Edit note" }).click();
    const field = page.getByLabel("What changed?");
    await eventually(() => field.evaluate((node) => node === document.activeElement)).toBe(true);
    await field.fill("Every shoal of the harbour.");
    await page.getByRole("button", { name: "Save note" }).click();
    await field.waitFor({ state: "detached" });
    await visit(reader.page, `${address}/history?version=2`);
    await card(reader.page, 2).getByText("Every shoal of the harbour.").waitFor();
    await eventually(() =>
      reader.page.getByRole("button", { name: /note|Sign|Hide|Restore/ }).count(),
    ).toBe(0);
  });

  it("hides a version from others, in words, until its author shows it again", async () => {
    const { page } = grace;
    const address = await threeVersions();
    await visit(page, `${address}/history`);
    await card(page, 3).getByRole("button", { name: "Edit note" }).waitFor();
    await eventually(() => card(page, 3).getByRole("button", { name: /Hide/ }).count()).toBe(0);
    await eventually(() => card(page, 3).getByText("when the soul was private").count()).toBe(0);
    await visit(page, `${address}/history?version=2`);
    await card(page, 2).getByText("Others never see a version from a time").waitFor();
    await card(page, 2).getByRole("button", { name: "Hide from others" }).click();
    await card(page, 2).getByText("Hidden: only you can see it").waitFor();
    await eventually(() => card(page, 2).getByRole("button", { name: "Sign" }).count()).toBe(0);
    expect((await versions(page))[1]).toContain("Hidden");

    await visit(reader.page, `${address}/history?version=2`);
    await reader.page.getByRole("heading", { name: "v2 can't be shown" }).waitFor();
    await reader.page.getByText("Its author has hidden it").waitFor();
    await eventually(() => versions(reader.page)).toEqual([
      expect.stringContaining("v3"),
      expect.stringContaining("v1"),
    ]);
    await visit(reader.page, `${address}/history?version=3&with=2`);
    await reader.page.getByText("v2 can't be compared. Its author has hidden it").waitFor();
    await visit(reader.page, `${address}/history`);
    await changes(reader.page, 1, 3).waitFor();
    expect(await reader.page.content()).not.toContain("Shoals.");

    await card(page, 2).getByRole("button", { name: "Show to others" }).click();
    await card(page, 2).getByRole("button", { name: "Hide from others" }).waitFor();
    await reader.page.goto(`${address}/history?version=2`);
    await changes(reader.page, 1, 2).getByText("shoal").waitFor();
  });

  it("says that a version does not exist", async () => {
    const { page } = reader;
    const address = await threeVersions();
    await visit(page, `${address}/history?version=9`);
    await page.getByRole("heading", { name: "v9 can't be shown" }).waitFor();
    await page.getByText("The newest version of this soul is v3.").waitFor();
    await page.getByRole("link", { name: "Show the present version" }).click();
    await changes(page, 2, 3).waitFor();
    await visit(page, `${address}/history?version=2&with=9`);
    await page.getByText("v9 can't be compared. The newest version of this soul is v3.").waitFor();
  });

  it("notes a restore", async () => {
    const { page } = grace;
    const address = await threeVersions();
    await visit(page, `${address}/history?version=1`);
    await page.getByRole("button", { name: "Restore v1" }).click();
    await page.getByText("v1 restored as v4").waitFor();
    await card(page, 4).getByText("Restored from version 1.").waitFor();
    await changes(page, 3, 4).getByRole("insertion").getByText("rock").waitFor();
  });

  const statement = (page: Page) => page.getByText(/^soulhub-version\/1/).textContent();

  it("signs a version with the author's wallet", async () => {
    const { page } = grace;
    const address = await threeVersions();
    await visit(page, `${address}/history?version=2`);
    await card(page, 2).getByRole("button", { name: "Sign", exact: true }).click();
    await page.getByText("A signature shows that a key that names grace.near signed").waitFor();
    const { host } = new URL(hub.url);
    const { public_key, signature } = signAs(
      "the text",
      wallet,
      String(await statement(page)),
      host,
    );
    await page.getByLabel("Public key").fill(public_key);
    await page.getByLabel("Signature", { exact: true }).fill(signature.replace(/^../, "00"));
    await page.getByRole("button", { name: "Sign v2" }).click();
    await page.getByText("The signature does not match this wallet").waitFor();
    await page.getByLabel("Signature", { exact: true }).fill(signature);
    await page.getByRole("button", { name: "Sign v2" }).click();
    await card(page, 2)
      .getByText("Signed with a key that names grace.near, not confirmed")
      .waitFor();
    await eventually(() => card(page, 2).getByRole("button", { name: "Sign" }).count()).toBe(0);
    expect((await versions(page))[1]).toContain("Signed, not confirmed");
    await eventually(() => card(page, 2).locator(".state-mark svg").count()).toBe(0);
    await visit(reader.page, `${address}/history?version=2`);
    await card(reader.page, 2)
      .getByText("Signed with a key that names grace.near, not confirmed")
      .waitFor();
  });

  it("signs a version with a NEP-413 message, at another address of the hub as well", async () => {
    const baseURL = hub.url.replace("localhost", "127.0.0.1");
    const { page, context } = await hub.visitor({ baseURL });
    // The page redirects to the hub's own host, which gets the cookie.
    await signInByForm(page, "grace");
    await visit(page, `${await threeVersions()}/history`);
    await card(page, 3).getByRole("button", { name: "Sign", exact: true }).click();
    await page.getByText("NEP-413 message", { exact: true }).click();
    const { host } = new URL(hub.url);
    await page.getByText(host, { exact: true }).waitFor();
    const signed = signAs("NEP-413", wallet, String(await statement(page)), host);
    await page.getByLabel("Public key").fill(signed.public_key);
    await page.getByLabel("Signature", { exact: true }).fill(signed.signature);
    await page.getByRole("button", { name: "Sign v3" }).click();
    // The wallet made a nonce of its own, which replaces the one of the page.
    await page.getByText("The signature does not match this wallet").waitFor();
    await page.getByLabel("Nonce").fill(String(signed.nonce));
    await page.getByRole("button", { name: "Sign v3" }).click();
    await card(page, 3).getByText("Signed with a key that names grace.near").waitFor();
    await context.close();
  });

  it("leads an author without a wallet to the settings", async () => {
    const other = await hub.visitor();
    const soul = { title: "Notes", content: "To myself." };
    const { id } = await hub.post("/api/souls", soul, await register("hopper"));
    await signIn(other.page, "hopper");
    await other.page.goto(`/soul/${id}/history`);
    await other.page.getByRole("button", { name: "Sign", exact: true }).click();
    await other.page.getByRole("link", { name: "Bind a wallet in your settings" }).click();
    await other.page.getByRole("heading", { name: "Wallet" }).waitFor();
    await other.context.close();
  });

  it("calls a wallet verified only if NEAR confirmed its key", async () => {
    const address = await signedSoul();
    const { page, context } = await hub.visitor();
    // The hub of this test has no chain, so the test changes its record of the signature.
    await page.route("**/trpc/*versions.get*", async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(
        '"wallet_verified":false',
        '"wallet_verified":true',
      );
      await route.fulfill({ response, body });
    });
    await visit(page, `${address}/history`);
    await card(page, 1).getByText("Signed by grace.near, verified on NEAR").waitFor();
    await eventually(() => card(page, 1).locator(".state-mark svg").count()).toBe(1);
    await page.getByText("How to check").click();
    await page.getByText(/NEAR confirmed to this hub that the key belongs to grace.near/).waitFor();
    await context.close();
  });

  /** Publishes a soul whose first version is signed. Returns the path of its page. */
  async function signedSoul(): Promise<string> {
    const soul = { title: "Größe “1”", description: "Two\nlines", content: folder("rock") };
    const { id } = await hub.post("/api/souls", soul, grace.key);
    const { data } = await (await fetch(`${hub.url}/api/soul/${id}`)).json();
    const { host } = new URL(hub.url);
    const text = `soulhub-version/1\nhub: ${host}\nsoul: ${id} version 1\ndigest: ${data.digest}`;
    const { message: _, ...signature } = signAs("the text", wallet, text, host);
    await hub.post("/api/version-signature", { soul_id: id, number: 1, ...signature }, grace.key);
    return `/soul/${id}`;
  }

  it("offers downloads that both tools verify with the shown commands", async () => {
    const place = await mkdtemp(path.join(tmpdir(), "soul-hub-check-"));
    const { page, context } = await hub.visitor({ acceptDownloads: true });
    await visit(page, `${await signedSoul()}/history`);
    await page.getByText("How to check").click();
    await page.getByText(/contains only SOUL.md and STYLE.md/).waitFor();
    await page.getByText(/This hub did not ask NEAR/).waitFor();
    const download = async (name: string) => {
      const started = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      const file = await started;
      const target = path.join(place, file.suggestedFilename());
      await file.saveAs(target);
      return target;
    };
    await download("Signature (.json)");
    const files = unzipSync(await readFile(await download("Files (.zip)")));
    for (const [name, bytes] of Object.entries(files)) {
      await mkdir(path.join(place, path.dirname(name)), { recursive: true });
      await writeFile(path.join(place, name), bytes);
    }
    const commands = await page.locator(".signature-check code").allTextContents();
    const programs = [
      ["node verify-version.mjs", "examples/verify-version.mjs"],
      ["npx -y pnpm@12 hub", "apps/cli/src/main.ts"],
    ] as const;
    for (const [at, [shown, program]] of programs.entries()) {
      const command = String(commands[at]);
      expect(command.startsWith(`${shown} `)).toBe(true);
      const args = command.slice(shown.length + 1).split(" ");
      const { stdout } = await run(process.execPath, [path.join(repository, program), ...args], {
        cwd: place,
        env: {},
      });
      expect(stdout).toContain(wallet.publicKey);
    }
    await context.close();
    await rm(place, { recursive: true });
  });

  it("fits a phone", async () => {
    const address = await signedSoul();
    const { page, context } = await hub.visitor({ viewport: { width: 360, height: 740 } });
    await signIn(page, "grace");
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await visit(page, `${address}/history`);
    await page.getByText("How to check").click();
    expect(await overflow()).toBe(0);
    await visit(page, `${await threeVersions()}/history`);
    await page.getByRole("button", { name: "Sign", exact: true }).click();
    await page.getByText("NEP-413 message", { exact: true }).click();
    expect(await overflow()).toBe(0);
    await context.close();
  });
});

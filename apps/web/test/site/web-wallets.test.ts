import { createWallet } from "@soul-hub/api/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { signIn } from "../sign-in.ts";
import { signUp } from "../steps.ts";
import { answerOf, startWebWallet } from "./web-wallet-server.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

/** Wallets that sign by redirect (0069). The wallet is a local page. */
describe.skipIf(!chromium)("a web wallet", { timeout: LONG_MS }, () => {
  const opened = new AsyncDisposableStack();
  let hub: BrowserHub;
  let wallet: Awaited<ReturnType<typeof startWebWallet>>;
  let hedy: Visitor;
  const complaints: string[][] = [];

  const visitor = async () => {
    const made = await hub.visitor();
    complaints.push(made.complaints);
    return made;
  };
  const openWallet = async (page: Page, path: string) => {
    await page.goto(path);
    await page.getByRole("button", { name: "Open Test wallet" }).click();
    await page.getByText("Approve").waitFor();
    return new URL(page.url()).searchParams;
  };
  const approve = (page: Page) => page.getByText("Approve").click();
  const isSignedIn = (page: Page, name: string) =>
    page.getByRole("button", { name: `Your account, ${name}` }).waitFor();
  const isRefused = (page: Page) =>
    page.getByText("This page did not ask for that signature").waitFor();
  const userOf = (page: Page) =>
    page.evaluate(async () => {
      const answer = await (await fetch("/trpc/accounts.whoAmI")).json();
      return answer.result.data.user?.username ?? null;
    });

  beforeAll(async () => {
    wallet = opened.use(await startWebWallet("hedy.near"));
    const config = { wallets: [{ name: "Test wallet", url: wallet.url }] };
    hub = opened.use(await startBrowserHub(chromium ?? "", {}, { config }));
    hedy = await visitor();
    await signUp(hedy.page, "hedy");
  }, LONG_MS);
  afterAll(() => opened.disposeAsync(), LONG_MS);

  it("binds and signs in by a click each", async () => {
    const { page } = hedy;
    const query = await openWallet(page, "/settings/security");
    expect(query.get("message")).toMatch(/^service_auth:\d{13}$/);
    expect(query.get("recipient")).toBe(new URL(hub.url).host);
    expect(query.get("callbackUrl")).toBe(`${hub.url}/wallet`);
    expect(Buffer.from(query.get("nonce") ?? "", "base64")).toHaveLength(32);
    await approve(page);
    await page.getByText("hedy.near is permanently bound to this account").waitFor();
    expect(page.url()).toBe(`${hub.url}/settings/security`);

    const other = await visitor();
    await openWallet(other.page, "/sign-in/wallet?next=%2Fapps");
    await approve(other.page);
    await isSignedIn(other.page, "hedy");
    expect(other.page.url()).toBe(`${hub.url}/apps`);
    // The signature is not in the history.
    await other.page.goBack();
    expect(other.page.url()).not.toContain("signature");
    await other.context.close();
  });

  it("that declines changes nothing, and leads back", async () => {
    const { page, context } = await visitor();
    await openWallet(page, "/sign-in/wallet?next=%2Fapps");
    await page.getByText("Decline").click();
    await page.getByText("The wallet did not sign").waitFor();
    await page.getByRole("link", { name: "Back to the wallets" }).click();
    await page.getByRole("button", { name: "Open Test wallet" }).waitFor();
    expect(page.url()).toContain("next=%2Fapps");
    await context.close();
  });

  it("can't sign a browser in that did not ask for it", async () => {
    const { page, context } = await visitor();
    const forged = () => {
      const query = new URLSearchParams({
        message: `service_auth:${Date.now()}`,
        nonce: Buffer.alloc(32, 7).toString("base64"),
        recipient: new URL(hub.url).host,
        callbackUrl: `${hub.url}/wallet`,
        state: Buffer.alloc(32, 7).toString("base64"),
      });
      return `/wallet#${answerOf(wallet.wallet, query)}`;
    };
    await page.goto(forged());
    await isRefused(page);
    expect(await userOf(page)).toBe(null);
    // Also while the browser waits for the answer to its own request, which then still counts.
    await openWallet(page, "/sign-in/wallet");
    const own = `${hub.url}/wallet#${answerOf(wallet.wallet, new URL(page.url()).searchParams)}`;
    await page.goto(forged());
    await isRefused(page);
    expect(await userOf(page)).toBe(null);
    await page.goto("/");
    await page.goto(own);
    await isSignedIn(page, "hedy");
    await page.goto(own);
    await isRefused(page);
    await context.close();
  });

  it("can't sign for the nonce of another request", async () => {
    const { page, context } = await visitor();
    const query = await openWallet(page, "/sign-in/wallet");
    query.set("nonce", Buffer.alloc(32, 7).toString("base64"));
    await page.goto(`/wallet#${answerOf(wallet.wallet, query)}`);
    await page.getByText("The signature does not match this wallet").waitFor();
    expect(await userOf(page)).toBe(null);
    await context.close();
  });

  it("is not bound to an account that signed in meanwhile", async () => {
    const { page, context } = await visitor();
    await signUp(page, "alan");
    await signUp((await visitor()).page, "grace");
    const query = await openWallet(page, "/settings/security");
    const tab = await context.newPage();
    await context.clearCookies();
    await signIn(tab, "grace");
    await page.goto(`/wallet#${answerOf(createWallet("alan.near"), query)}`);
    await isRefused(page);
    await page.goto("/settings/security");
    await page.getByRole("button", { name: "Open Test wallet" }).waitFor();
    await context.close();
  });

  it("violates no policy of the page", () => expect(complaints.flat()).toEqual([]));
});

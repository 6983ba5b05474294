import { publishStarterSouls } from "@soul-hub/api";
import { startChatHub, type startOpenAiServer, type TestHubOptions } from "@soul-hub/api/testing";
import type { BrowserContextOptions } from "playwright-core";
import { serveSite } from "../../server/src/site.ts";
import { startBrowser, type Visitor } from "./browser.ts";
import { buildPagesWhereStale } from "./build-pages.ts";

export type { Visitor };
export type ModelOptions = NonNullable<Parameters<typeof startOpenAiServer>[0]>;

export type HubOptions = Omit<TestHubOptions, "addRoutes">;

export interface BrowserHub extends AsyncDisposable {
  url: string;
  /** The simulated model provider. Its `holdNext` pauses a reply while the reply streams. */
  model: Awaited<ReturnType<typeof startOpenAiServer>>;
  /** Opens a new browser context with one page. */
  visitor(options?: BrowserContextOptions): Promise<Visitor>;
  /** Sends a POST request to the REST API, with an API key or the admin token. */
  post(path: string, body: object, key?: string): Promise<Record<string, unknown>>;
  /** Sends a PUT request to the REST API, with an API key. */
  put(path: string, body: object, key: string): Promise<Record<string, unknown>>;
  /** Sends a DELETE request to the REST API, with an API key. */
  delete(path: string, key: string): Promise<Record<string, unknown>>;
}

export const TEXT_MODEL = "openai-compatible:test";
/** The wallet that a hub offers without the setting WALLETS. */
const wallets = [{ name: "MyNearWallet", url: "https://app.mynearwallet.com/sign-message" }];

/**
 * Starts a hub with the built pages, a simulated model provider and a browser. The hub runs in this
 * process, on the worker's database. `startHubProcess` starts one as a process of its own, which
 * can restart, but takes seconds of processor time.
 */
export async function startBrowserHub(
  executablePath: string,
  provider: ModelOptions = {},
  { config, ...options }: HubOptions = {},
): Promise<BrowserHub> {
  await buildPagesWhereStale();
  const hub = await startChatHub({
    ...options,
    provider,
    routes: { text: TEXT_MODEL },
    config: { wallets, ...config },
    addRoutes: (app, hub) => serveSite(app, hub, null),
  });
  await publishStarterSouls(hub.hub);
  // A passkey belongs to a host name, not to an address.
  const url = hub.url.replace("127.0.0.1", "localhost");
  hub.hub.config.baseUrl = url;
  // Many tests read what the hub serves without a browser, so the first visitor starts it.
  let browser: ReturnType<typeof startBrowser> | undefined;
  return {
    url,
    model: hub.provider,
    async visitor(options) {
      browser ??= startBrowser(executablePath, url);
      return (await browser).visitor(options);
    },
    ...requestsTo(url),
    async [Symbol.asyncDispose]() {
      await (await browser)?.close();
      await hub.close();
    },
  };
}

export const requestsTo = (url: string): Pick<BrowserHub, "post" | "put" | "delete"> => ({
  post: (address, body, key) => send("POST", url + address, body, key),
  put: (address, body, key) => send("PUT", url + address, body, key),
  delete: (address, key) => send("DELETE", url + address, undefined, key),
});

async function send(method: string, url: string, body: object | undefined, key?: string) {
  const response = await fetch(url, {
    method,
    headers: {
      "content-type": "application/json",
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

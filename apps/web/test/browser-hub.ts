import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fillDataDirectory, freePort, startOpenAiServer } from "@soul-hub/api/testing";
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { buildPagesWhereStale } from "./build-pages.ts";

const serverEntry = path.resolve(import.meta.dirname, "../../server/src/main.ts");

export const ADMIN_TOKEN = "admin-token-of-the-browser-tests";

/**
 * Chromium flags that allow running in a container and prevent background requests to the vendor.
 */
const browserFlags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface BrowserHub extends AsyncDisposable {
  url: string;
  /** The simulated model provider. Its `holdNext` pauses a reply while the reply streams. */
  model: Awaited<ReturnType<typeof startOpenAiServer>>;
  /** Opens a new browser context with one page. */
  visitor(options?: BrowserContextOptions): Promise<Visitor>;
  /** Sends a POST request to the REST API, with an API key or {@link ADMIN_TOKEN}. */
  post(path: string, body: object, key?: string): Promise<Record<string, unknown>>;
  /** Sends a PUT request to the REST API, with an API key. */
  put(path: string, body: object, key: string): Promise<Record<string, unknown>>;
  /** Sends a DELETE request to the REST API, with an API key. */
  delete(path: string, key: string): Promise<Record<string, unknown>>;
  /** Stops the hub and restarts it with the same port and data. */
  restart(whileDown: () => Promise<void>): Promise<void>;
}

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Uncaught exceptions and console errors, including violations of the CSP. */
  complaints: string[];
  /** Requests of the page to other origins than the hub's. */
  strayRequests: string[];
}

/**
 * Starts the server with the built pages, a simulated model provider and a browser.
 * @param database `copied`: a copy of the test run's template, which exists only in Vitest
 * @param environment further variables of the server
 */
export async function startBrowserHub(
  executablePath: string,
  modelOptions: Parameters<typeof startOpenAiServer>[0] = {},
  database: "copied" | "new" = "copied",
  environment: Readonly<Record<string, string>> = {},
): Promise<BrowserHub> {
  await buildPagesWhereStale();
  const dataDirectory = await mkdtemp(path.join(tmpdir(), "soul-hub-web-"));
  if (database === "copied") await fillDataDirectory(dataDirectory);
  const model = await startOpenAiServer(modelOptions);
  const port = await freePort();
  const start = () => startServer(port, dataDirectory, model.url, environment);
  let server = await start();
  let hasRestarted = false;
  const { url } = server;
  const browser = await chromium.launch({ executablePath, args: browserFlags });
  return {
    url,
    model,
    async visitor(options = {}) {
      const context = await browser.newContext({ baseURL: url, ...options });
      // The servers of other tests may take the cores for a while.
      context.setDefaultTimeout(90_000);
      const page = await context.newPage();
      return { page, context, ...watch(page, url, () => hasRestarted) };
    },
    post: (address, body, key) => send("POST", url + address, body, key),
    put: (address, body, key) => send("PUT", url + address, body, key),
    delete: (address, key) => send("DELETE", url + address, undefined, key),
    async restart(whileDown) {
      hasRestarted = true;
      await stopServer(server.process);
      await whileDown();
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await stopServer(server.process);
      await model.close();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

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

async function startServer(
  port: number,
  dataDirectory: string,
  modelUrl: string,
  environment: Readonly<Record<string, string>>,
) {
  const child = spawn(process.execPath, [serverEntry], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PORT: String(port),
      DATA_DIR: dataDirectory,
      RATE_LIMITS: "off",
      LOG_LEVEL: "fatal",
      // No browser test cuts the power.
      DATA_SYNC: "off",
      // A backup and its verification would each start another database beside the browser.
      BACKUP_EVERY_HOURS: "0",
      ADMIN_TOKEN,
      TEXT_MODEL: "openai-compatible:test",
      OPENAI_COMPATIBLE_BASE_URL: modelUrl,
      OPENAI_COMPATIBLE_API_KEY: "test",
      BYOK_ALLOWED_HOSTS: new URL(modelUrl).host,
      ...environment,
    },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [address] = /http:\/\/localhost:\d+/.exec(line) ?? [];
    if (address) {
      child.stdout.resume();
      return { process: child, url: address };
    }
  }
  throw new Error("The hub did not start.");
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

function watch(
  page: Page,
  url: string,
  hasRestarted: () => boolean,
): Pick<Visitor, "complaints" | "strayRequests"> {
  const complaints: string[] = [];
  const strayRequests: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    const text = message.text();
    // A failed request is not an error of the page: tests provoke failed requests.
    const isNetwork = /Failed to load resource|WebSocket/.test(text);
    // A hub that starts answers all requests with JSON, which the browser refuses as a style.
    const isOfStart = hasRestarted() && text.includes("its MIME type ('application/json')");
    if (message.type() === "error" && !isNetwork && !isOfStart) complaints.push(text);
  });
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(`${url}/`) || /^(data|blob):/.test(request.url());
    if (!isOwn) strayRequests.push(request.url());
  });
  return { complaints, strayRequests };
}

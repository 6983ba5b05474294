import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  ADMIN_TOKEN,
  fillDataDirectory,
  freePort,
  startOpenAiServer,
  startServerProcess,
} from "@soul-hub/api/testing";
import { startBrowser } from "./browser.ts";
import { type BrowserHub, type ModelOptions, requestsTo, TEXT_MODEL } from "./browser-hub.ts";
import { buildPagesWhereStale } from "./build-pages.ts";

const serverEntry = path.resolve(import.meta.dirname, "../../server/src/main.ts");

export interface HubProcess extends BrowserHub {
  /** Stops the hub and restarts it with the same port and data. */
  restart(whileDown: () => Promise<void>): Promise<void>;
}

interface HubProcessOptions {
  model?: ModelOptions;
  /** `copied`: a copy of the test run's template, which exists only in Vitest. */
  database?: "copied" | "new";
  /** Further variables of the server. */
  environment?: Readonly<Record<string, string>>;
}

/** Starts the server as a process, with a database of its own, and a browser. */
export async function startHubProcess(
  executablePath: string,
  { model: modelOptions, database = "copied", environment }: HubProcessOptions = {},
): Promise<HubProcess> {
  await buildPagesWhereStale();
  const dataDirectory = await mkdtemp(path.join(tmpdir(), "soul-hub-web-"));
  if (database === "copied") await fillDataDirectory(dataDirectory);
  const model = await startOpenAiServer(modelOptions);
  const port = await freePort();
  const start = () =>
    startServerProcess(serverEntry, {
      PORT: String(port),
      DATA_DIR: dataDirectory,
      STARTER_SOULS: "on",
      RATE_LIMITS: "off",
      LOG_LEVEL: "fatal",
      ADMIN_TOKEN,
      TEXT_MODEL,
      OPENAI_COMPATIBLE_BASE_URL: model.url,
      OPENAI_COMPATIBLE_API_KEY: "test",
      BYOK_ALLOWED_HOSTS: new URL(model.url).host,
      ...environment,
    });
  let server = await start();
  let hasRestarted = false;
  const url = `http://localhost:${port}`;
  const browser = await startBrowser(executablePath, url, () => hasRestarted);
  return {
    url,
    model,
    visitor: browser.visitor,
    ...requestsTo(url),
    async restart(whileDown) {
      hasRestarted = true;
      await server.stop();
      await whileDown();
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server.stop();
      await model.close();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

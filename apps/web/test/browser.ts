import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";

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

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Uncaught exceptions and console errors, including violations of the CSP. */
  complaints: string[];
  /** Requests of the page to other origins than the hub's. */
  strayRequests: string[];
}

/**
 * Starts Chromium.
 * @param url the hub's URL, which paths in a page are relative to
 * @param hasRestarted true once the hub has restarted
 */
export async function startBrowser(
  executablePath: string,
  url: string,
  hasRestarted: () => boolean = () => false,
) {
  const browser = await chromium.launch({ executablePath, args: browserFlags });
  return {
    async visitor(options: BrowserContextOptions = {}): Promise<Visitor> {
      const context = await browser.newContext({ baseURL: url, ...options });
      // The servers of other tests may take the cores for a while.
      context.setDefaultTimeout(90_000);
      const page = await context.newPage();
      return { page, context, ...watch(page, url, hasRestarted) };
    },
    close: () => browser.close(),
  };
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

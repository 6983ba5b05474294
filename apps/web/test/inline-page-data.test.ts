import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "./browser-hub.ts";
import { PASSWORD } from "./sign-in.ts";
import { eventually, isLive } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const FIRST_PAGE = 24;

/** Opens a page until it has its data. A busy server sends it without (read-page.ts). */
const openWhole = (
  page: Page,
  path: string,
  waitUntil: "networkidle" | "load" = "load",
  beforeEach: () => void = () => {},
) =>
  eventually(async () => {
    beforeEach();
    await page.goto(path, { waitUntil });
    return page.locator("#page-data").count();
  }).toBe(1);

describe.skipIf(!chromium)("the inlined data of a page", () => {
  let hub: BrowserHub;
  let key: string;
  let soul: number;

  const publish = async (fields: object): Promise<number> => {
    const { id } = await hub.post(
      "/api/souls",
      { title: "A title", content: "Text.", ...fields },
      key,
    );
    return Number(id);
  };
  const served = async (path: string): Promise<string> => (await fetch(hub.url + path)).text();
  /** The HTML with its data. A busy server sends a page without it (read-page.ts). */
  const servedWhole = async (path: string): Promise<string> => {
    let html = "";
    await eventually(async () => {
      html = await served(path);
      return html.includes('id="page-data"');
    }).toBe(true);
    return html;
  };
  const asked = async (path: string) => (await fetch(hub.url + path)).json();
  const dataIn = (html: string) => {
    const [, json] =
      /<script type="application\/json" id="page-data">([^<]*)<\/script>/.exec(html) ?? [];
    return json === undefined ? undefined : JSON.parse(json);
  };
  const filesIn = (html: string): string[] =>
    [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, file = ""]) => file,
    );
  /** The paths that a browser requested. */
  const fetched = async (page: Page): Promise<string[]> => {
    const names = await page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => name),
    );
    return names.map((name) => new URL(name).pathname);
  };

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    const account = { username: "linus", password: PASSWORD, email: "l@example.org" };
    key = String((await hub.post("/api/register", account)).api_key);
    soul = await publish({ title: "Night Watch", content: "I count the *stars*." });
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("leaves the network to styles and fonts: each script has a low priority", async () => {
    for (const path of ["/", `/soul/${soul}`]) {
      const html = await served(path);
      const scripts = html.match(/<(script type="module"|link rel="modulepreload")[^>]*>/g) ?? [];
      expect(scripts.length).toBeGreaterThan(2);
      expect(scripts.filter((tag) => !tag.includes('fetchpriority="low"'))).toEqual([]);
    }
  });

  it("comes with links to every asset that the page then loads", {
    timeout: LONG_MS,
  }, async () => {
    const pages = [
      "/",
      `/soul/${soul}`,
      `/chat/${soul}/lobby`,
      "/u/linus",
      "/apps",
      "/apps/trip-plan",
      "/sign-up",
      "/join/an-invite",
    ];
    for (const path of pages) {
      const { page, context, complaints } = await hub.visitor();
      await page.goto(path, { waitUntil: "networkidle" });
      const named = filesIn(await served(path));
      expect(named.length).toBeGreaterThan(3);
      for (const file of named) {
        expect([file, (await fetch(hub.url + file)).status]).toEqual([file, 200]);
      }
      const late = (await fetched(page)).filter(
        (file) => /\.(js|css)$/.test(file) && /^\/assets\/(?!similar-souls-)/.test(file),
      );
      expect([path, late.filter((file) => !named.includes(file))]).toEqual([path, []]);
      expect(complaints).toEqual([]);
      await context.close();
    }
  });

  it("equals the answers of the API", async () => {
    const front = dataIn(await servedWhole("/"));
    const { success: _, ...list } = await asked(`/api/souls?limit=${FIRST_PAGE}`);
    const { success: __, ...categories } = await asked("/api/categories");
    const { success: ___, ...open } = await asked(`/api/soul/${soul}`);
    expect(front).toEqual({ categories, souls: list });
    expect(dataIn(await servedWhole(`/soul/${soul}`))).toEqual({ categories, soul: open });
    expect(dataIn(await servedWhole(`/chat/${soul}/lobby`))).toEqual({ soul: open });
    for (const path of ["/?q=night", "/u/linus", "/apps", `/soul/${soul}/history`, "/soul/0"]) {
      expect([path, dataIn(await served(path))]).toEqual([path, undefined]);
    }
  });

  it("is not fetched again", { timeout: LONG_MS }, async () => {
    const { page, context } = await hub.visitor();
    let calls: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/trpc/")) calls.push(...pathname.slice("/trpc/".length).split(","));
    });
    const open = (path: string, waitUntil: "networkidle" | "load" = "networkidle") =>
      openWhole(page, path, waitUntil, () => {
        calls = [];
      });
    await open("/");
    await page.getByRole("article").first().waitFor();
    expect(new Set(calls)).toEqual(new Set(["accounts.whoAmI"]));
    await open(`/soul/${soul}`);
    await page.getByText("I count the stars.").waitFor();
    // Similar souls load after the page, on purpose.
    expect(new Set(calls)).toEqual(new Set(["accounts.whoAmI", "souls.similar"]));
    await open(`/chat/${soul}/lobby`, "load");
    await isLive(page);
    expect(calls).not.toContain("souls.read");
    await context.close();
  });

  it("is fetched again on a page from the browser's history", async () => {
    const { page, context } = await hub.visitor();
    await page.goto(`/soul/${soul}`);
    await page.getByRole("heading", { name: "Night Watch", exact: true }).waitFor();
    await page.goto("/docs");
    await hub.put(`/api/soul/${soul}`, { title: "Day Watch" }, key);
    await page.goBack();
    await page.getByRole("heading", { name: "Day Watch", exact: true }).waitFor();
    await context.close();
  });

  it("contains nothing of a private or gated soul", async () => {
    const hidden = { title: "Hush", description: "Whispered.", content: "The secret." };
    const secret = await publish({ ...hidden, is_public: 0 });
    const gated = await publish({ ...hidden, title: "For holders", nft_contract: "keys.near" });
    for (const path of [secret, gated].flatMap((id) => [`/soul/${id}`, `/chat/${id}/lobby`])) {
      const html = await served(path);
      for (const word of ["Hush", "Whispered.", "The secret.", "For holders", "page-data"]) {
        expect([path, word, html.includes(word)]).toEqual([path, word, false]);
      }
    }
    // The list shows a gated soul without its text, and shows no private soul.
    const front = await servedWhole("/");
    expect(front).toContain("For holders");
    for (const word of ["Hush", "The secret."]) expect(front).not.toContain(word);
    // The page of a private soul's room equals that of a missing soul's room.
    const room = async (id: number) =>
      (await served(`/chat/${id}/lobby`)).replaceAll(`/chat/${id}/`, "/chat/N/");
    expect(await room(secret)).toBe(await room(999_999_999));
  });

  it("is never run as a script", async () => {
    const content = `</script><script>window.ran = true</script><!--<script>\u2028]]> $& "`;
    const id = await publish({ title: "Mallory", content });
    const html = await servedWhole(`/soul/${id}`);
    expect(html).not.toContain("<script>window");
    expect(dataIn(html).soul.data.content).toBe(content);
    const { page, context, complaints } = await hub.visitor();
    await page.goto(`/soul/${id}`);
    await page.getByText("window.ran = true").waitFor();
    expect(await page.evaluate(() => "ran" in window)).toBe(false);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("is compressed as the request accepts", async () => {
    const plain = await served("/");
    // `fetch` decompresses responses, so each body must equal the uncompressed page.
    const answers = await Promise.all(
      ["br", "gzip, br;q=0", "xx-br"].map((encoding) =>
        fetch(`${hub.url}/`, { headers: { "accept-encoding": encoding } }),
      ),
    );
    expect(answers.map(({ headers }) => headers.get("content-encoding"))).toEqual([
      "br",
      "gzip",
      null,
    ]);
    for (const answer of answers) {
      expect(answer.headers.get("vary")).toContain("accept-encoding");
      expect(await answer.text()).toBe(plain);
    }
  });
});

const HOSTILE = `</div><script>window.ran = true</script><img src=x onerror="window.ran = true">'"\`&amp;`;

describe.skipIf(!chromium)("the static content of a page", () => {
  let hub: BrowserHub;
  let key: string;
  let reader: Visitor;

  const publish = async (fields: object): Promise<string> => {
    const { id } = await hub.post(
      "/api/souls",
      { title: "A title", content: "Text.", ...fields },
      key,
    );
    return String(id);
  };

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    const account = { username: "linus", password: PASSWORD, email: "l@example.org" };
    key = String((await hub.post("/api/register", account)).api_key);
    reader = await hub.visitor({ javaScriptEnabled: false });
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("shows a soul's title, description and text without JavaScript", async () => {
    const id = await publish({
      title: "Night Watch",
      description: "Counts the stars.",
      content: "# Vesper\n\nYou count *stars*.",
    });
    const { page } = reader;
    await openWhole(page, `/soul/${id}`);
    await page.getByRole("heading", { name: "Night Watch" }).waitFor();
    await page.getByText("Counts the stars.").waitFor();
    await page.getByText("You count *stars*.").waitFor();
    await openWhole(page, `/chat/${id}/lobby`);
    await page.getByRole("heading", { name: "Night Watch" }).waitFor();
  });

  it("shows each file of a folder soul", async () => {
    const files = { "SOUL.md": "You bring ships in.", "STYLE.md": "Few words." };
    const id = await publish({ content: JSON.stringify(files) });
    await openWhole(reader.page, `/soul/${id}`);
    for (const [name, text] of Object.entries(files)) {
      await reader.page.getByRole("heading", { name }).waitFor();
      await reader.page.getByText(text, { exact: true }).waitFor();
    }
    const text = await reader.page.getByText("You bring ships in.", { exact: true }).boundingBox();
    const next = await reader.page.getByRole("heading", { name: "STYLE.md" }).boundingBox();
    expect((next?.y ?? 0) - (text?.y ?? 0) - (text?.height ?? 0)).toBeGreaterThan(16);
  });

  it("links the newest souls on the front page", async () => {
    const id = await publish({ title: "Harbour Pilot" });
    const { page } = reader;
    await openWhole(page, "/");
    await page.getByRole("link", { name: "Harbour Pilot", exact: true }).click();
    await page.waitForURL(`/soul/${id}`);
    await page.goto("/u/linus");
    await page.getByRole("heading", { name: "linus" }).waitFor();
    await page.goto("/apps/trip-plan");
    await page.getByRole("heading", { name: "Trip Plan" }).waitFor();
  });

  it("escapes hostile text", async () => {
    const id = await publish({
      title: HOSTILE.slice(0, 110),
      description: HOSTILE,
      content: HOSTILE,
    });
    const folder = await publish({ content: JSON.stringify({ "SOUL.md": HOSTILE }) });
    const { page, context, complaints } = await hub.visitor();
    // Without the client's scripts, the static content stays on the page.
    await page.route("**/assets/*.js", (route) => route.abort());
    for (const path of [`/soul/${id}`, `/soul/${folder}`, `/chat/${id}/lobby`, "/"]) {
      const html = await (await fetch(hub.url + path)).text();
      expect([path, html.includes("<script>window")]).toEqual([path, false]);
      await openWhole(page, path);
      expect([path, await page.locator("#root :is(script, img)").count()]).toEqual([path, 0]);
      expect([path, await page.evaluate(() => "ran" in window)]).toEqual([path, false]);
      expect([path, await page.locator("#root main").count()]).toEqual([path, 1]);
    }
    await openWhole(page, `/soul/${id}`);
    await eventually(() => page.locator("#root .panel").textContent()).toBe(HOSTILE);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("reveals nothing of a private or gated soul", async () => {
    const hidden = { title: "Hush", description: "Whispered.", content: "The secret." };
    const ids = [
      await publish({ ...hidden, is_public: 0 }),
      await publish({ ...hidden, nft_contract: "keys.near" }),
    ];
    for (const path of ids.flatMap((id) => [`/soul/${id}`, `/chat/${id}/lobby`])) {
      const html = await (await fetch(hub.url + path)).text();
      expect([path, /Hush|Whispered|The secret/.test(html)]).toEqual([path, false]);
      expect([path, html.includes('<div id="root"></div>')]).toEqual([path, true]);
    }
  });

  it("paints before the client's scripts, which replace it", async () => {
    const id = await publish({ title: "Early Bird", content: "Sings at *dawn*." });
    const { page, context } = await hub.visitor();
    const release = Promise.withResolvers<void>();
    await page.route("**/assets/*.js", async (route) => {
      await release.promise;
      await route.continue();
    });
    await page.goto(`/soul/${id}`, { waitUntil: "commit" });
    await page.getByText("Sings at *dawn*.").waitFor();
    release.resolve();
    await page.getByText("Sings at dawn.").waitFor();
    await eventually(() => page.getByRole("heading", { name: "Early Bird" }).count()).toBe(1);
    await eventually(() => page.locator(".static-page").count()).toBe(0);
    await context.close();
  });
});

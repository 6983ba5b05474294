import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "./browser-hub.ts";
import { PASSWORD } from "./sign-in.ts";
import { isLive } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 60_000;
const FIRST_PAGE = 24;

describe.skipIf(!chromium)("what a page's first look needs", () => {
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
  /** What a browser fetched, as paths. */
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

  it("names files that are there, and all that each page then fetches", {
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
        (file) => /\.(js|css)$/.test(file) && file.startsWith("/assets/"),
      );
      expect([path, late.filter((file) => !named.includes(file))]).toEqual([path, []]);
      expect(complaints).toEqual([]);
      await context.close();
    }
  });

  it("is in the page, in the words of the doors", async () => {
    const front = dataIn(await served("/"));
    const { success: _, ...list } = await asked(`/api/souls?limit=${FIRST_PAGE}`);
    const { success: __, ...categories } = await asked("/api/categories");
    const { success: ___, ...open } = await asked(`/api/soul/${soul}`);
    expect(front).toEqual({ categories, souls: list });
    expect(dataIn(await served(`/soul/${soul}`))).toEqual({ categories, soul: open });
    expect(dataIn(await served(`/chat/${soul}/lobby`))).toEqual({ soul: open });
    for (const path of ["/?q=night", "/u/linus", "/apps", `/soul/${soul}/history`, "/soul/0"]) {
      expect([path, dataIn(await served(path))]).toEqual([path, undefined]);
    }
  });

  it("is not asked for again", async () => {
    const { page, context } = await hub.visitor();
    const calls: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/trpc/")) calls.push(...pathname.slice("/trpc/".length).split(","));
    });
    await page.goto("/", { waitUntil: "networkidle" });
    await page.getByRole("article").first().waitFor();
    await page.goto(`/soul/${soul}`, { waitUntil: "networkidle" });
    await page.getByText("I count the stars.").waitFor();
    expect(new Set(calls)).toEqual(new Set(["accounts.whoAmI"]));
    await page.goto(`/chat/${soul}/lobby`);
    await isLive(page);
    expect(calls).not.toContain("souls.read");
    await context.close();
  });

  it("is asked for again by who goes back to a page that was kept", async () => {
    const { page, context } = await hub.visitor();
    await page.goto(`/soul/${soul}`);
    await page.getByRole("heading", { name: "Night Watch", exact: true }).waitFor();
    await page.goto("/docs");
    await hub.put(`/api/soul/${soul}`, { title: "Day Watch" }, key);
    await page.goBack();
    await page.getByRole("heading", { name: "Day Watch", exact: true }).waitFor();
    await context.close();
  });

  it("holds nothing of a private soul or a gated one, on no page", async () => {
    const hidden = { title: "Hush", description: "Whispered.", content: "The secret." };
    const secret = await publish({ ...hidden, is_public: 0 });
    const gated = await publish({ ...hidden, title: "For holders", nft_contract: "keys.near" });
    for (const path of [secret, gated].flatMap((id) => [`/soul/${id}`, `/chat/${id}/lobby`])) {
      const html = await served(path);
      for (const word of ["Hush", "Whispered.", "The secret.", "For holders", "page-data"]) {
        expect([path, word, html.includes(word)]).toEqual([path, word, false]);
      }
    }
    // A gated soul stands in the list, without its text; a private one doesn't.
    const front = await served("/");
    expect(front).toContain("For holders");
    for (const word of ["Hush", "The secret."]) expect(front).not.toContain(word);
    // To who holds the room's link both are like no soul.
    const none = (await served("/chat/999999999/lobby")).replaceAll("999999999", "N");
    expect((await served(`/chat/${secret}/lobby`)).replaceAll(String(secret), "N")).toBe(none);
  });

  it("is text to a browser, whatever stands in it", async () => {
    const content = `</script><script>window.ran = true</script><!--<script>\u2028]]> $& "`;
    const id = await publish({ title: "Mallory", content });
    const html = await served(`/soul/${id}`);
    expect(html).not.toContain("<script>window");
    expect(dataIn(html).soul.data.content).toBe(content);
    const { page, context, complaints } = await hub.visitor();
    await page.goto(`/soul/${id}`);
    await page.getByText("window.ran = true").waitFor();
    expect(await page.evaluate(() => "ran" in window)).toBe(false);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("comes compressed to who takes it so", async () => {
    const plain = await served("/");
    // Fetch unpacks by itself what it knows.
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

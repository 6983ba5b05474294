import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "./browser-hub.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

describe.skipIf(!chromium)("link previews, sitemap and methods of pages", () => {
  let hub: BrowserHub;
  let key: string;

  const publish = async (fields: object): Promise<string> => {
    const soul = { title: "A title", content: "Some text.", ...fields };
    const { id } = await hub.post("/api/souls", soul, key);
    return `/soul/${id}`;
  };
  const served = async (path: string) => {
    const response = await fetch(hub.url + path);
    return { status: response.status, html: await response.text(), headers: response.headers };
  };
  const content = (html: string, name: string) =>
    new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(html)?.[1];

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    const account = {
      username: "linus",
      password: "correct horse battery",
      email: "l@example.org",
    };
    key = String((await hub.post("/api/register", account)).api_key);
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("a preview has the title of a soul, a profile or a mini app", async () => {
    const path = await publish({ title: "Night Watch", description: "Counts the\n stars." });
    const { status, html } = await served(path);
    expect(status).toBe(200);
    expect(html).toContain("<title>Night Watch · Soul Hub</title>");
    expect(content(html, "description")).toBe("Counts the stars.");
    expect(content(html, "og:title")).toBe("Night Watch");
    expect(content(html, "og:url")).toBe(hub.url + path);
    expect(content((await served("/u/LINUS")).html, "og:title")).toBe("linus");
    expect(content((await served("/apps/trip-plan")).html, "og:title")).toBe("Trip Plan");
    expect(content((await served("/")).html, "og:title")).toBe("Soul Hub");
  });

  it("a preview has a picture of the soul at the hub's address, new with each version", async () => {
    const path = await publish({ title: "Night Watch <&>" });
    const id = path.replace("/soul/", "");
    const { html } = await served(path);
    const url = content(html, "og:image") ?? "";
    expect(url).toBe(`${hub.url}/previews/soul/${id}.png?v=1`);
    expect(content(html, "twitter:card")).toBe("summary_large_image");
    const response = await fetch(url);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
    const png = Buffer.from(await response.arrayBuffer());
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1_200, 630]);
    const etag = response.headers.get("etag") ?? "";
    expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);

    await hub.put(`/api/soul/${id}`, { title: "Day Watch" }, key);
    const renamed = content((await served(path)).html, "og:image") ?? "";
    expect(renamed).toBe(`${hub.url}/previews/soul/${id}.png?v=2`);
    expect((await fetch(renamed)).headers.get("etag")).not.toBe(etag);
    for (const other of ["/", "/apps/trip-plan", `${path}/history`]) {
      expect([other, content((await served(other)).html, "og:image")]).toEqual([
        other,
        `${hub.url}/og.png`,
      ]);
    }
  });

  it("a picture leaves out a title that its font cannot show", async () => {
    const [kanji = "", arabic = ""] = await Promise.all(
      ["東京の案内人", "مرشد الليل"].map((title) => publish({ title })),
    );
    for (const path of [kanji, arabic]) {
      const { status } = await fetch(`${hub.url}/previews${path}.png`);
      expect([path, status]).toEqual([path, 200]);
    }
  });

  it("a private, gated or missing soul has no picture", async () => {
    const open = await publish({ title: "Soon hidden" });
    const picture = (path: string) => fetch(`${hub.url}/previews${path}.png`);
    expect((await picture(open)).status).toBe(200);
    await hub.put(`/api/soul/${open.replace("/soul/", "")}`, { is_public: 0 }, key);
    const gated = await publish({ title: "Gated", nft_contract: "keys.near" });
    for (const path of [open, gated, "/soul/999999999", "/soul/x", "/soul/01"]) {
      expect([path, (await picture(path)).status]).toEqual([path, 404]);
    }
    expect(content((await served(gated)).html, "og:image")).toBe(`${hub.url}/og.png`);
  });

  it("a preview escapes hostile text", async () => {
    const title = `"><script>alert(1)</script>$&$'`;
    const { html } = await served(await publish({ title, description: `'"><img src=x>` }));
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("<img");
    expect(content(html, "og:title")).toBe(
      "&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;$&#38;$&#39;",
    );
  });

  it("a private soul's page equals that of a missing soul", async () => {
    const secret = await served(await publish({ title: "Hush", is_public: 0 }));
    const none = await served("/soul/999999999");
    expect([secret.status, secret.html === none.html]).toEqual([404, true]);
    expect(content(none.html, "robots")).toBe("noindex");
    for (const path of [
      "/soul/0",
      "/soul/x",
      "/u/nobody-here",
      "/u/a%2Fb",
      "/u/%00",
      "/apps/none",
    ]) {
      expect([path, (await served(path)).html === none.html]).toEqual([path, true]);
    }
  });

  it("a gated soul has the hub's preview", async () => {
    const { status, html } = await served(
      await publish({ title: "Gated", description: "Hidden.", nft_contract: "keys.near" }),
    );
    expect(status).toBe(200);
    expect(content(html, "og:title")).toBe("Soul Hub");
    expect(html).not.toContain("Hidden.");
  });

  it("the sitemap lists public souls, and robots.txt excludes rooms", async () => {
    const open = await publish({ title: "Found" });
    const closed = await publish({ title: "Not found", is_public: 0 });
    const gated = await publish({ title: "Gated", nft_contract: "keys.near" });
    const index = (await served("/sitemap.xml")).html;
    const [, block] = /<loc>([^<]*)<\/loc>/.exec(index) ?? [];
    const list = (await served(new URL(block ?? "").pathname)).html;
    expect(list).toContain(`<loc>${hub.url}${open}</loc>`);
    expect(list).toContain(`<loc>${hub.url}/apps/trip-plan</loc>`);
    for (const hidden of [closed, gated]) expect(list).not.toContain(`${hidden}<`);
    expect((await served("/sitemaps/7.xml")).status).toBe(404);
    const robots = (await served("/robots.txt")).html;
    expect(robots).toContain("Disallow: /chat/");
    expect(robots).toContain(`Sitemap: ${hub.url}/sitemap.xml`);
  });

  it("an unknown path is 404, and every page of the router 200", async () => {
    for (const path of ["/none", "/favicon.ico", "/.env", "/soul", "/soul/1/none", "/chat/1"]) {
      const { status, html } = await served(path);
      expect([path, status, content(html, "robots")]).toEqual([path, 404, "noindex"]);
    }
    const pages = [
      "/",
      "/?q=x",
      "/apps",
      "/publish",
      "/sign-in",
      "/sign-in/wallet",
      "/sign-up",
      "/wallet",
    ];
    const own = ["/settings", "/settings/keys", "/my-souls", "/my-chats", "/chat/1/lobby"];
    for (const path of [...pages, ...own])
      expect([path, (await served(path)).status]).toEqual([path, 200]);
  });

  it("other methods than GET and HEAD are 405 with Allow", async () => {
    const asked = async (method: string, path: string) => {
      const response = await fetch(hub.url + path, {
        method,
        ...(method === "POST" && { body: "{" }),
      });
      const { error } = (await response.json().catch(() => ({}))) as { error?: string };
      return [path, response.status, response.headers.get("allow"), error];
    };
    const refused = [405, "GET, HEAD, OPTIONS", "method_not_allowed"];
    for (const path of ["/", "/soul/1", "/docs", "/docs/", "/robots.txt", "/og.png?x"]) {
      expect(await asked("POST", path)).toEqual([path, ...refused]);
      expect(await asked("DELETE", path)).toEqual([path, ...refused]);
      expect(await asked("OPTIONS", path)).toEqual([path, 204, "GET, HEAD, OPTIONS", undefined]);
    }
    for (const path of ["/none", "/soul", "/api/none", "/assets/none.js", "/docs/none", "/trpc"]) {
      expect(await asked("POST", path)).toEqual([path, 404, null, "not_found"]);
    }
  });

  it("the manifest links existing icons", async () => {
    const manifest = (await (await fetch(`${hub.url}/manifest.webmanifest`)).json()) as {
      icons: { src: string }[];
    };
    for (const src of [...manifest.icons.map((icon) => icon.src), "/og.png"]) {
      const { status, headers } = await served(src);
      expect([src, status, headers.get("content-type")?.split("/")[0]]).toEqual([
        src,
        200,
        "image",
      ]);
    }
  });

  it("assets are served compressed", async () => {
    const { html } = await served("/");
    const [script = ""] = /\/assets\/index-[^"]*\.js/.exec(html) ?? [];
    const { headers } = await fetch(hub.url + script, { headers: { "accept-encoding": "br" } });
    expect(headers.get("content-encoding")).toBe("br");
  });
});

import { createApp } from "@soul-hub/api";
import { type Actor, startTestHub, type TestHub } from "@soul-hub/api/testing";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { methodNotAllowed } from "../pages/method-not-allowed.ts";
import { servePages } from "../pages/serve-pages.ts";
import { serveWellKnown } from "./well-known.ts";

const CONTACT = "mailto:security@hub.example";
/** A build of the web client whose router knows the page of a soul. */
const pages = {
  directory: import.meta.dirname,
  index:
    '<html><head><title>x</title><link rel="preload"></head><body><div id="root"></div></body></html>',
  filesOf: (path: string) =>
    /^\/soul\/[^/]+$/.test(path) ? { scripts: [], styles: [] } : undefined,
};

/** What programs find on the hub without knowing it (0056). */
describe("a hub is found by programs", () => {
  let hub: TestHub;
  let ada: Actor;
  let url: string;
  const apps: FastifyInstance[] = [];

  const start = async (contact: string | null) => {
    const app = await createApp(hub.hub);
    apps.push(app);
    methodNotAllowed(app, pages);
    serveWellKnown(app, hub.hub, contact);
    await servePages(app, hub.hub, pages);
    return app.listen({ port: 0, host: "127.0.0.1" });
  };
  const publish = async (soul: object): Promise<number> =>
    (await ada.post("/api/souls", { title: "A title", content: "Some text.", ...soul })).body.id;
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { headers, redirect: "manual" });
    return {
      ...response,
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    };
  };
  const typeOf = ({ headers }: { headers: Headers }) => headers.get("content-type")?.split(";")[0];

  beforeAll(async () => {
    hub = await startTestHub();
    ada = await hub.member("ada");
    url = await start(CONTACT);
    hub.hub.config.baseUrl = url;
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await hub.close();
  });

  it("in llms.txt, which names each transport by its whole address", async () => {
    const { status, headers, text } = await ask("/llms.txt");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(text).toMatch(/^# Soul Hub\n\n> \S/);
    for (const path of ["/api/openapi.json", "/v1", "/mcp", "/trpc", "/docs", "/apps/trip-plan"]) {
      expect(text).toContain(url + path);
    }
    expect(text).toContain(`${url.replace("http", "ws")}/trpc`);
  });

  it("in llms.txt, which lists at most 50 souls, and only those that everyone may read", async () => {
    const open = await publish({ title: "Found", description: "Two\nlines." });
    const hidden = await publish({ title: "Hush", is_public: 0 });
    const gated = await publish({ title: "Gated", nft_contract: "keys.near" });
    const { text } = await ask("/llms.txt");
    expect(text).toContain(`- [Found](${url}/soul/${open}.md): Two lines.\n`);
    for (const id of [hidden, gated]) expect(text).not.toContain(`/soul/${id}.md`);
    for (let count = 0; count < 50; count++) await publish({});
    const souls = (await ask("/llms.txt")).text.match(/\/soul\/\d+\.md\)/g);
    expect(souls).toHaveLength(50);
  });

  it("in llms.txt, where a title cannot be a link or a heading of its own", async () => {
    const title = "](https://evil.example) <b> `x` \u202e# *y*";
    const id = await publish({ title, description: "a".repeat(400) });
    await ada.post("/api/like", { soul_id: id });
    const { text } = await ask("/llms.txt");
    const line = text.split("\n").find((one) => one.includes(`/soul/${id}.md`)) ?? "";
    expect(line).toContain(
      `- [\\]\\(https://evil.example\\) \\<b\\> \\\`x\\\` \\# \\*y\\*](${url}/soul/${id}.md): aaa`,
    );
    expect(line.length).toBeLessThan(300);
  });

  it("as the Markdown of a soul, like its export", async () => {
    const files = JSON.stringify({ "SOUL.md": "You are calm.\r\n", "STYLE.md": "Softly. 🌙" });
    for (const content of ["You *are*.\r\n", files]) {
      const id = await publish({ content });
      const found = await ask(`/soul/${id}.md`);
      expect([found.status, found.headers.get("content-type")]).toEqual([
        200,
        "text/markdown; charset=utf-8",
      ]);
      expect(found.text).toBe((await ask(`/api/soul/${id}/export?format=md`)).text);
      expect(found.headers.get("link")).toBe(`<${url}/soul/${id}>; rel="canonical"`);
      const page = await ask(`/soul/${id}`);
      expect(page.text).toContain(
        `<link rel="alternate" type="text/markdown" href="${url}/soul/${id}.md" />`,
      );
    }
  });

  it.each([
    ["text/markdown", "text/markdown"],
    ["text/markdown, text/html, */*", "text/markdown"],
    ["text/html;q=0.8, TEXT/Markdown", "text/markdown"],
    ["text/html, text/markdown;q=0.5", "text/html"],
    ["*/*, text/markdown;q=0.9", "text/html"],
    ["text/markdown;q=0, */*", "text/html"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"],
    ["*/*", "text/html"],
  ])("at a soul's page by Accept: %s", async (accept, type) => {
    const found = await ask(`/soul/${await publish({})}`, { accept });
    expect([found.status, typeOf(found)]).toEqual([200, type]);
    expect(found.headers.get("vary")).toBe("accept-encoding, accept");
  });

  it("but not by the Markdown of a soul that is private, gated or missing", async () => {
    const secret = await publish({ content: "Hush.", is_public: 0 });
    const gated = await publish({ content: "Hush.", nft_contract: "keys.near" });
    for (const id of [secret, gated, 999_999_999, "x", "01", "%00"]) {
      for (const found of [
        await ask(`/soul/${id}.md`),
        await ask(`/soul/${id}`, { accept: "text/markdown" }),
      ]) {
        expect([id, found.status, typeOf(found)]).toEqual([id, 404, "application/json"]);
        expect(found.text).not.toContain("Hush");
      }
    }
  });

  it("with an address for reports of security problems", async () => {
    const { status, headers, text } = await ask("/.well-known/security.txt");
    expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(text).toContain(`Contact: ${CONTACT}\n`);
    expect(text).toContain(`Canonical: ${url}/.well-known/security.txt\n`);
    const [, end = ""] = /^Expires: (\S+)$/m.exec(text) ?? [];
    const days = (Date.parse(end) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(30);
    expect(days).toBeLessThan(365);
  });

  it("with the page where a password is changed", async () => {
    const { status, headers } = await ask("/.well-known/change-password");
    expect([status, headers.get("location")]).toEqual([302, `${url}/settings/security`]);
  });

  it("with a catalog of its APIs, whose documents exist", async () => {
    const { headers, text } = await ask("/.well-known/api-catalog");
    expect(headers.get("content-type")).toBe(
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    expect(headers.get("link")).toBe(`<${url}/.well-known/api-catalog>; rel="api-catalog"`);
    const { linkset } = JSON.parse(text);
    expect(linkset.map(({ anchor }: { anchor: string }) => anchor)).toEqual([
      `${url}/api`,
      `${url}/v1`,
      `${url}/mcp`,
    ]);
    for (const entry of linkset) {
      for (const { href } of [...entry["service-desc"], ...entry.status]) {
        expect([href, (await fetch(href)).status]).toEqual([href, 200]);
      }
    }
  });

  it("by an OpenAPI document with whole addresses", async () => {
    const document = JSON.parse((await ask("/api/openapi.json")).text);
    expect(document.servers).toEqual([{ url }]);
    const texts = new Map<string, string>(
      document.tags.map(({ name, description }: { name: string; description: string }) => [
        name,
        description,
      ]),
    );
    expect(texts.get("v1")).toContain(`\`${url}/v1\``);
    expect(texts.get("mcp")).toContain(`claude mcp add --transport http soul-hub ${url}/mcp`);
  });

  it("without anything else below /.well-known", async () => {
    const unlisted = await start(null);
    for (const address of [
      `${url}/.well-known/oauth-protected-resource`,
      `${url}/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200`,
      `${url}/.well-known/`,
      `${url}/.well-known`,
      `${unlisted}/.well-known/security.txt`,
    ]) {
      const response = await fetch(address);
      expect([address, response.status, typeOf(response)]).toEqual([
        address,
        404,
        "application/json",
      ]);
    }
  });

  it("only by reading: other methods are 405, or 404 where nothing is", async () => {
    for (const path of ["/llms.txt", "/soul/1.md", "/.well-known/api-catalog"]) {
      const { status, headers } = await fetch(url + path, { method: "POST" });
      expect([path, status, headers.get("allow")]).toEqual([path, 405, "GET, HEAD, OPTIONS"]);
    }
    const nothing = await fetch(`${url}/.well-known/none`, { method: "POST" });
    expect([nothing.status, typeOf(nothing)]).toEqual([404, "application/json"]);
  });
});

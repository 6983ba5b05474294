import { createApp } from "@soul-hub/api";
import {
  type Actor,
  ADMIN_TOKEN,
  createActor,
  startTestHub,
  type TestHub,
} from "@soul-hub/api/testing";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { servePages } from "./serve-pages.ts";

const pages = {
  directory: import.meta.dirname,
  index:
    '<html><head><title>x</title><link rel="preload"></head><body><div id="root"></div></body></html>',
  filesOf: (path: string) =>
    /^\/(?:(?:soul|u)\/[^/]+)?$/.test(path) ? { scripts: [], styles: [] } : undefined,
};

/** A soul that the hub's staff have hidden is in no page that the server makes (0062). */
describe("pages of a hidden soul", () => {
  let hub: TestHub;
  let ada: Actor;
  let url: string;
  let app: FastifyInstance;

  beforeAll(async () => {
    hub = await startTestHub();
    ada = await hub.member("ada");
    app = await createApp(hub.hub);
    await servePages(app, hub.hub, pages);
    url = await app.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(async () => {
    await app.close();
    await hub.close();
  });

  it("do not name it, and do so again after it is shown", async () => {
    const soul = { title: "Orla of the lighthouse", content: "I keep the light." };
    const { id } = (await ada.post("/api/souls", soul)).body;
    const paths = ["/", `/soul/${id}`, `/soul/${id}.md`, "/llms.txt", `/previews/soul/${id}.png`];
    const read = async () =>
      Promise.all(
        paths.map(async (path) => {
          const response = await fetch(url + path);
          return { status: response.status, text: await response.text() };
        }),
      );
    const shown = await read();
    expect(shown.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const { text } of shown.slice(0, 2)) expect(text).toContain(soul.title);

    const operator = createActor({ name: "op", apiKey: ADMIN_TOKEN, baseUrl: () => url });
    expect((await operator.post("/api/admin/hide", { soul_id: id })).status).toBe(200);
    const hidden = await read();
    expect(hidden.map(({ status }) => status)).toEqual([200, 404, 404, 200, 404]);
    for (const { text } of hidden) expect(text).not.toContain("lighthouse");
    // No sitemap was read before, so none is cached.
    const list = await fetch(`${url}/sitemaps/0.xml`);
    expect(await list.text()).not.toContain(`/soul/${id}<`);
    expect(list.headers.get("cache-control")).toBe("public, max-age=30");

    await operator.post("/api/admin/hide", { soul_id: id, hidden: false });
    expect(await read()).toEqual(shown);
  });

  it("and those of a suspended person name neither the person nor the souls", async () => {
    const zoe = await hub.member("zoe-of-the-harbour");
    const reader = await hub.vip("reader");
    const soul = {
      title: "Chess in the harbour",
      description: "",
      content: "The harbour is home.",
    };
    const { id } = (await zoe.post("/api/souls", soul)).body;
    await zoe.put(`/api/soul/${id}`, { description: "A second version." });
    await reader.post("/api/like", { soul_id: id });
    const both = { accept: "application/json, text/event-stream" };
    const rpc = (method: string, params: object = {}) =>
      reader.post("/mcp", { jsonrpc: "2.0", id: 1, method, params }, both);
    const search = { name: "search_souls", arguments: { q: "harbour" } };
    const page = async (path: string) => {
      const response = await fetch(url + path);
      return { status: response.status, text: await response.text() };
    };
    // A slow database leaves the list of the front page out, so “/” is not compared here.
    const pageTexts = [
      `/soul/${id}`,
      `/soul/${id}.md`,
      `/u/${zoe.name}`,
      `/previews/soul/${id}.png`,
      "/llms.txt",
      "/api/souls?q=harbour&limit=100",
      "/api/souls?limit=100",
      `/api/soul/${id}`,
      `/api/soul/${id}/export?format=md`,
      `/api/profile?username=${zoe.name}`,
      `/api/versions?soul_id=${id}`,
      "/api/apps?slug=chess-lesson",
    ];
    const read = async () => [
      ...(await Promise.all(pageTexts.map(page))),
      ...(await Promise.all([
        reader.get("/v1/models"),
        rpc("tools/call", search),
        rpc("prompts/list"),
        rpc("resources/list"),
      ])),
    ];
    const shown = await read();
    const naming = shown.map(({ text }) => /harbour/i.test(text));
    const operator = createActor({ name: "op", apiKey: ADMIN_TOKEN, baseUrl: () => url });
    expect((await operator.post("/api/admin/suspend", { username: zoe.name })).status).toBe(200);
    const hidden = await read();
    const unnamed = naming.flatMap((isNamed, at) => (isNamed ? [] : [at]));
    expect(unnamed).toEqual([pageTexts.indexOf(`/previews/soul/${id}.png`)]);
    expect(hidden.flatMap(({ text }, at) => (/harbour/i.test(text) ? [at] : []))).toEqual([]);
    const gone = pageTexts.flatMap((path, at) => (hidden[at]?.status === 404 ? [path] : []));
    expect(gone).toEqual([
      `/soul/${id}`,
      `/soul/${id}.md`,
      `/u/${zoe.name}`,
      `/previews/soul/${id}.png`,
      `/api/soul/${id}`,
      `/api/soul/${id}/export?format=md`,
      `/api/profile?username=${zoe.name}`,
      `/api/versions?soul_id=${id}`,
    ]);
    expect((await page("/sitemaps/0.xml")).text).not.toContain(`/soul/${id}<`);

    await operator.post("/api/admin/suspend", { username: zoe.name, suspended: false });
    expect((await read()).map(({ text }) => /harbour/i.test(text))).toEqual(naming);
  });
});

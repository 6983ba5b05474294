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
    /^\/(?:soul\/[^/]+|profile\/[^/]+)?$/.test(path) ? { scripts: [], styles: [] } : undefined,
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
});

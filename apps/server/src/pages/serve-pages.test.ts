import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Hub } from "@soul-hub/api";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { servePages } from "./serve-pages.ts";

/** A build of the web client with one page, which reads nothing from the hub. */
const files = {
  "index.html": '<html><head><title>x</title></head><body><div id="root"></div></body></html>',
  "index.html.br": "not served",
  "index.html.gz": "not served",
  "page-files.json": "[]",
  "page-files.json.br": "not served",
  "favicon.svg": "<svg/>",
};

describe("served pages", () => {
  const app = Fastify();
  const hub = { config: { baseUrl: "https://hub.example" } } as Hub;
  let directory: string;
  let url: string;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "soul-hub-pages-"));
    for (const [name, text] of Object.entries(files)) {
      await writeFile(path.join(directory, name), text);
    }
    await servePages(app, hub, {
      directory,
      index: files["index.html"],
      filesOf: (pathname) => (pathname === "/settings" ? { scripts: [], styles: [] } : undefined),
    });
    url = await app.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(async () => {
    await app.close();
    await rm(directory, { recursive: true });
  });

  it.each(["/settings", "/none", "/index.html", "/page-files.json"])(
    "carry the page headers: %s",
    async (pathname) => {
      const { status, headers } = await fetch(url + pathname);
      expect(status).toBe(pathname === "/settings" ? 200 : 404);
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("content-security-policy")).toMatch(
        /default-src 'none'.*frame-ancestors 'none'/,
      );
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
    },
  );

  it("name in robots.txt what is private, the pages of links in mails included", async () => {
    const text = await (await fetch(`${url}/robots.txt`)).text();
    for (const start of [
      "/settings",
      "/notices",
      "/forgot-password",
      "/reset-password",
      "/verify-email",
      "/undo-deletion",
    ]) {
      expect(text).toContain(`\nDisallow: ${start}\n`);
    }
  });

  it("do not serve the server's inputs, however they are encoded", async () => {
    for (const name of Object.keys(files).filter((file) => file !== "favicon.svg")) {
      const answer = await fetch(`${url}/${name}`, { headers: { "accept-encoding": "br, gzip" } });
      expect([name, answer.status]).toEqual([name, 404]);
    }
  });

  it("send Strict-Transport-Security for an https base URL only", async () => {
    const header = async (pathname: string) =>
      (await fetch(url + pathname)).headers.get("strict-transport-security");
    for (const pathname of ["/settings", "/none", "/favicon.svg", "/robots.txt"]) {
      hub.config.baseUrl = "https://hub.example";
      expect([pathname, await header(pathname)]).toEqual([pathname, "max-age=31536000"]);
      hub.config.baseUrl = "http://hub.example";
      expect([pathname, await header(pathname)]).toEqual([pathname, null]);
    }
  });
});

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "./browser-hub.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const FIRST_LOAD_BYTES = 200 * 1024;
const assets = path.resolve(fileURLToPath(import.meta.url), "../../dist/assets");

/** What only some pages need: the editor, the difference, the room, the renderer of Markdown. */
const laterOnly = /^(markdown-editor|soul-form|soul-history|room|markdown|account-menu)-/;

describe.skipIf(!chromium)("the first load", () => {
  let hub: BrowserHub;
  let scripts: string[];

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    const { page } = await hub.visitor();
    await page.goto("/", { waitUntil: "networkidle" });
    await page.getByRole("article").first().waitFor();
    const addresses = await page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => name),
    );
    scripts = addresses
      .filter((address) => /\/assets\/.+\.js$/.test(address))
      .map((address) => path.basename(address));
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("is at most 200 KB of JavaScript, by gzip", async () => {
    const sizes = await Promise.all(
      scripts.map(async (file) => gzipSync(await readFile(path.join(assets, file))).length),
    );
    expect(scripts.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  });

  it("leaves to other pages what only they need", async () => {
    const later = (await readdir(assets)).filter(
      (file) => laterOnly.test(file) && file.endsWith(".js"),
    );
    expect(later).toHaveLength(6);
    expect(scripts.filter((file) => laterOnly.test(file))).toEqual([]);
  });
});

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "./browser-hub.ts";
import { isLive, replied, say, signUp } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const FIRST_LOAD_BYTES = 190_000;
/** A room also has the list of rooms and the panel. */
const EMPTY_ROOM_BYTES = 193_000;
const KB = 1024;
/** Limits of all scripts that a member's page has loaded once the network is idle. */
const idleBytes: Readonly<Record<string, number>> = {
  // These two show Markdown, whose renderer has 42 KB.
  "/soul/1": 220 * KB,
  "/soul/1/history": 225 * KB,
  "/settings/keys": 190 * KB,
  "/my-chats": 190 * KB,
  "/publish": 190 * KB,
};
const ROOM_IDLE_BYTES = 240 * KB;
const assets = path.resolve(fileURLToPath(import.meta.url), "../../dist/assets");

/** The names of scripts that only some pages load, or that load on first use. */
const laterOnly = [
  "codemirror",
  "soul-form",
  "soul-history",
  "room",
  "markdown",
  "highlight-code",
  "typeset-math",
  "more-menu",
  "add-soul",
  "command-palette",
  "keys-dialog",
  "share-dialog",
  "use-it-dialog",
  "undoable",
];

describe.skipIf(!chromium)("the first load", () => {
  let hub: BrowserHub;
  let scripts: string[];

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    const { page } = await hub.visitor();
    await page.goto("/", { waitUntil: "networkidle" });
    await page.getByRole("article").first().waitFor();
    scripts = await loadedScripts(page);
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("is at most 190,000 bytes of JavaScript, by gzip", async () => {
    expect(scripts.length).toBeGreaterThan(1);
    expect(await gzipBytes(scripts)).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  });

  it("is as small for a member, until the network is idle", { timeout: LONG_MS }, async () => {
    // On a wide screen the list of rooms is beside the room.
    const { page } = await hub.visitor({ viewport: { width: 1440, height: 900 } });
    await signUp(page, "ada");
    const open = async (path: string) => {
      await page.goto(path, { waitUntil: "networkidle" });
      return loadedScripts(page);
    };
    await open("/chat/1/first-load");
    await isLive(page);
    const empty = await loadedScripts(page);
    expect(await gzipBytes(empty)).toBeLessThanOrEqual(EMPTY_ROOM_BYTES);
    await say(page, "Is it dark?");
    await replied(page);
    const room = await open("/chat/1/first-load");
    await page.locator(".line__reply .markdown").waitFor();
    expect(await gzipBytes(room)).toBeLessThanOrEqual(ROOM_IDLE_BYTES);
    // A room with a reply loads one more script than an empty room: the Markdown renderer.
    const later = (await loadedScripts(page)).filter((file) => !empty.includes(file));
    expect(later).toEqual([expect.stringMatching(/^markdown-/)]);
    for (const [path, limit] of Object.entries(idleBytes)) {
      expect(await gzipBytes(await open(path)), path).toBeLessThanOrEqual(limit);
    }
  });

  it("excludes the chunks of other pages", async () => {
    // A file's name is that of its module and a hash.
    const nameOf = (file: string) => file.replace(/-.{8}\.js$/, "");
    const names = (await readdir(assets)).filter((file) => file.endsWith(".js")).map(nameOf);
    expect(names).toEqual(expect.arrayContaining(laterOnly));
    expect(scripts.map(nameOf).filter((name) => laterOnly.includes(name))).toEqual([]);
  });
});

/** File names of the scripts that the page has requested. */
async function loadedScripts(page: Page): Promise<string[]> {
  const addresses = await page.evaluate(() =>
    performance.getEntriesByType("resource").map(({ name }) => name),
  );
  return addresses
    .filter((address) => /\/assets\/.+\.js$/.test(address))
    .map((address) => path.basename(address));
}

async function gzipBytes(scripts: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    scripts.map(async (file) => gzipSync(await readFile(path.join(assets, file))).length),
  );
  return sizes.reduce((sum, size) => sum + size);
}

import { readFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { inject, it } from "vitest";
import { startBrowserHub } from "./browser-hub.ts";
import { isLive, publishSoul, say, signUp } from "./steps.ts";
const { chromium } = inject("services");
const assets = path.resolve(import.meta.dirname, "../dist/assets");
it("bytes", { timeout: 180_000 }, async () => {
  const hub = await startBrowserHub(chromium ?? "");
  const { page } = await hub.visitor({ viewport: { width: 1440, height: 900 } });
  await signUp(page, "ada");
  await page.goto("/chat/1/first-load", { waitUntil: "networkidle" });
  await isLive(page);
  const show = async (name: string) => {
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(1500);
    const list = await page.evaluate(() => performance.getEntriesByType("resource").map((e) => [e.name, Math.round(e.startTime)] as const));
    let sum = 0; const rows: string[] = [];
    for (const [n, t] of list) { if (!/\/assets\/.+\.js$/.test(n)) continue; const b = gzipSync(await readFile(path.join(assets, path.basename(n)))).length; sum += b; rows.push(`${b} ${path.basename(n)} @${t}`); }
    console.log(name, sum, "\n  " + rows.join("\n  "));
  };
  await show("room empty");
  await say(page, "Is it dark?");
  await page.locator('.line[id][data-by="assistant"]').waitFor();
  await page.reload({ waitUntil: "networkidle" });
  await page.locator(".line__reply .markdown").waitFor();
  await show("room with reply");
  for (const p of ["/", "/soul/1", "/soul/1/history", "/settings", "/my-chats", "/publish"]) { await page.goto(p, { waitUntil: "networkidle" }); await show(p); }
  await hub[Symbol.asyncDispose]();
});

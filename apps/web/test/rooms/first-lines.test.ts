import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "../browser-hub.ts";
import { eventually, isLive, passHolder, phone } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const HOSTILE = '<img src=x onerror="alert(1)"> & </script>';

/** The page of an open room holds its newest messages (0073). */
describe.skipIf(!chromium)("the newest messages in a room's page", () => {
  let hub: BrowserHub;
  let key: string;
  const said = Array.from({ length: 14 }, (_, n) => `line ${n + 1} ${"of the log ".repeat(9)}`);

  const linesOf = (page: Page) => page.locator(".line__said").allTextContents();
  const isVisible = async (page: Page, text: string) => {
    const box = await page.getByText(text).boundingBox();
    const height = page.viewportSize()?.height ?? 0;
    return box !== null && box.y > 0 && box.y + box.height <= height;
  };

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    key = await passHolder(hub, "rita", "pro");
    await hub.post("/api/souls", { title: "Orla", content: "I keep the light." }, key);
    for (const content of [...said, HOSTILE]) {
      await hub.post("/api/say", { soul_id: 1, session_token: "pier", content }, key);
    }
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("are visible without a script, the newest one at the end", async () => {
    const { page, complaints } = await hub.visitor({ ...phone, javaScriptEnabled: false });
    await page.goto("/chat/1/pier");
    expect(await linesOf(page)).toHaveLength(10);
    expect((await linesOf(page)).at(-1)).toBe(HOSTILE);
    expect(await isVisible(page, HOSTILE)).toBe(true);
    expect(await isVisible(page, "line 7 ")).toBe(false);
    await page.locator(".room__scroll").hover();
    await page.mouse.wheel(0, -5_000);
    await eventually(() => isVisible(page, "line 7 ")).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("are neither listed by search engines nor stored by shared caches", async () => {
    const { headers } = await fetch(`${hub.url}/chat/1/pier`);
    expect(headers.get("x-robots-tag")).toBe("noindex, noarchive");
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(headers.get("vary")).toContain("cookie");
  });

  it("stay in place until the room is joined, which brings all others", async () => {
    const { page, complaints } = await hub.visitor(phone);
    let join = () => {};
    const mayJoin = new Promise<void>((resolve) => {
      join = resolve;
    });
    await page.route("**/trpc/**", async (route) => {
      await mayJoin;
      await route.continue();
    });
    await page.goto("/chat/1/pier");
    // The composer is part of the first render.
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    expect(await linesOf(page)).toHaveLength(10);
    expect(await isVisible(page, HOSTILE)).toBe(true);
    join();
    await isLive(page);
    await eventually(() => linesOf(page)).toHaveLength(said.length + 1);
    expect(new Set(await linesOf(page)).size).toBe(said.length + 1);
    expect(await isVisible(page, HOSTILE)).toBe(true);
    expect(complaints).toEqual([]);
  });
});

import decodeQR from "qr/decode.js";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub } from "../browser-hub.ts";
import { replied } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

describe.skipIf(!chromium)("sharing and printing", () => {
  let hub: BrowserHub;
  let folder: string;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    const account = { username: "ada", password: "correct horse battery", email: "a@example.org" };
    const key = String((await hub.post("/api/register", account)).api_key);
    const content = JSON.stringify({ "SOUL.md": "You are calm.", "STYLE.md": "Speak softly." });
    folder = `/soul/${(await hub.post("/api/souls", { title: "Calm", content }, key)).id}`;
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("a link is shown as a QR code that decodes to the link", async () => {
    const { page, context, complaints, strayRequests } = await hub.visitor();
    await page.goto("/soul/1");
    await page.getByRole("button", { name: "Share" }).click();
    const code = page.getByRole("img", { name: /^QR code of the link to/ });
    await code.waitFor();
    await page.getByText(`${hub.url}/soul/1`).waitFor();
    const pixels = await code.evaluate(async (svg: SVGElement) => {
      const size = 400;
      const copy = svg.cloneNode(true) as SVGElement;
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      copy.setAttribute("width", String(size));
      copy.setAttribute("height", String(size));
      const image = new Image();
      image.src = `data:image/svg+xml,${encodeURIComponent(copy.outerHTML)}`;
      await image.decode();
      const canvas = new OffscreenCanvas(size, size);
      const brush = canvas.getContext("2d");
      brush?.drawImage(image, 0, 0, size, size);
      return Array.from(brush?.getImageData(0, 0, size, size).data ?? []);
    });
    const side = Math.sqrt(pixels.length / 4);
    expect(decodeQR({ width: side, height: side, data: Uint8Array.from(pixels) })).toBe(
      `${hub.url}/soul/1`,
    );
    expect([complaints, strayRequests]).toEqual([[], []]);
    await context.close();
  });

  it("a link goes to the device's share menu, where there is one", async () => {
    const { page, context } = await hub.visitor();
    await page.addInitScript(() => {
      const share = async (data: ShareData) => {
        document.documentElement.dataset.shared = data.url ?? "";
        throw new DOMException("The user has closed the menu.", "AbortError");
      };
      Object.defineProperty(navigator, "share", { value: share });
      Object.defineProperty(navigator, "canShare", { value: () => true });
    });
    await page.goto("/soul/1");
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("button", { name: "Share with an app" }).click();
    await page.locator(`html[data-shared="${hub.url}/soul/1"]`).waitFor({ state: "attached" });
    await context.close();
  });

  it("a printed soul has all its files and no controls, dark on light", async () => {
    const { page, context } = await hub.visitor({ colorScheme: "dark" });
    await page.goto(folder);
    // The server's static content has the same text, but does not listen for the print.
    await page.getByRole("tab", { name: "STYLE.md" }).waitFor();
    await page.getByText("You are calm.").waitFor();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.getByText("Speak softly.").waitFor();
    await page.getByRole("heading", { name: "STYLE.md" }).waitFor();
    for (const role of ["banner", "contentinfo", "complementary", "button", "tab"] as const) {
      expect([role, await page.getByRole(role).count()]).toEqual([role, 0]);
    }
    const ink = await page
      .getByRole("heading", { name: "Calm", exact: true })
      .evaluate((title) => getComputedStyle(title).color);
    expect(ink).toBe("rgb(20, 32, 27)");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("tab", { name: "STYLE.md" }).waitFor();
    await context.close();
  });

  it("a printed room has its whole conversation and no composer", async () => {
    const { page, context } = await hub.visitor();
    await page.goto("/chat/1/printed");
    const box = page.getByLabel(/^Message to/);
    await box.fill("Line.\n".repeat(60).trim());
    await box.press("Enter");
    await replied(page);
    await page.emulateMedia({ media: "print" });
    const scroller = page.locator(".room__scroll");
    const hidden = await scroller.evaluate((box) => box.scrollHeight - box.clientHeight);
    expect(hidden).toBeLessThanOrEqual(1);
    expect(await page.getByRole("textbox").count()).toBe(0);
    expect(await page.getByRole("button").count()).toBe(0);
    await page.locator(".line__reply").first().waitFor();
    await context.close();
  });
});

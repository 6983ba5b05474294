import { zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "./browser-hub.ts";
import { eventually, signUp } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 60_000;
const utf8 = (text: string) => Buffer.from(text, "utf8");

describe.skipIf(!chromium)("the editor in the browser", () => {
  let hub: BrowserHub;
  let visitor: Visitor;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    visitor = await hub.visitor();
    await signUp(visitor.page, "ursula");
    await visitor.page.goto("/publish");
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  const tabs = () => visitor.page.locator(".file-editor__tab").allTextContents();
  const text = (name: string) => visitor.page.getByLabel(`Text of ${name}`);
  const choose = (files: Array<{ name: string; buffer: Buffer }>) =>
    visitor.page
      .getByLabel("Files of the soul")
      .setInputFiles(files.map((file) => ({ mimeType: "application/octet-stream", ...file })));

  it("shows what is written beside it, as readers will see it", async () => {
    await text("SOUL.md").fill("# The Cartographer\n\nDraws **maps**.");
    const preview = visitor.page.getByRole("region", { name: "Preview" });
    await preview.getByRole("heading", { name: "The Cartographer" }).waitFor();
    await preview.getByRole("strong").waitFor();
  });

  it("is left with the Tab key", async () => {
    await text("SOUL.md").focus();
    await visitor.page.keyboard.press("Tab");
    await eventually(() =>
      text("SOUL.md").evaluate((node) => node === document.activeElement),
    ).toBe(false);
  });

  it("takes files, and says which it can't", async () => {
    await choose([
      { name: "STYLE.md", buffer: utf8("Dry.") },
      { name: "photo.png", buffer: Buffer.from([0x89, 0x50, 0xff, 0x00]) },
      { name: "no extension", buffer: utf8("x") },
    ]);
    await visitor.page.getByText("1 file taken").waitFor();
    await visitor.page.getByText("photo.png: no text").waitFor();
    expect(await tabs()).toEqual(["SOUL.md", "STYLE.md"]);
  });

  it("unpacks a .zip, and replaces files of the same name", async () => {
    const zip = zipSync({
      "soul/SOUL.md": utf8("From the zip."),
      "soul/RULES.md": utf8("Never guess."),
      "soul/.git/config": utf8("hidden"),
      "__MACOSX/soul/._SOUL.md": utf8("remains"),
    });
    await choose([{ name: "soul.zip", buffer: Buffer.from(zip) }]);
    await visitor.page.getByText("2 files taken").waitFor();
    expect((await tabs()).toSorted()).toEqual(["RULES.md", "SOUL.md", "STYLE.md"]);
    await visitor.page.getByRole("button", { name: "SOUL.md", exact: true }).click();
    await eventually(() => text("SOUL.md").textContent()).toBe("From the zip.");
    await choose([{ name: "broken.zip", buffer: utf8("this is no zip") }]);
    await visitor.page.getByText("broken.zip: it can't be unpacked").waitFor();
  });

  it("shows the limit before it hurts", async () => {
    await choose([{ name: "LONG.md", buffer: utf8("a".repeat(200_001)) }]);
    await visitor.page.getByText(/More than 200,000 characters/).waitFor();
    await visitor.page.getByRole("button", { name: "LONG.md", exact: true }).click();
    await visitor.page.getByRole("button", { name: "Remove file" }).click();
  });

  it("warns before unsaved work is left, and keeps it", async () => {
    const { page } = visitor;
    await page.getByLabel("Title").fill("The Cartographer");
    await page.getByRole("link", { name: "Mini apps" }).first().click();
    await page.getByRole("button", { name: "Stay" }).click();
    expect(new URL(page.url()).pathname).toBe("/publish");
    await page.getByRole("link", { name: "Mini apps" }).first().click();
    await page.getByRole("button", { name: "Leave", exact: true }).click();
    await page.waitForURL(/\/apps$/);
    await page.getByRole("link", { name: "Publish", exact: true }).click();
    await eventually(() => page.getByLabel("Title").inputValue()).toBe("The Cartographer");
  });

  it("publishes a folder without a warning on the way", async () => {
    const { page } = visitor;
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.waitForURL(/\/soul\/\d+$/);
    await page.getByRole("tab", { name: "RULES.md" }).click();
    await page.getByText("Never guess.").waitFor();
  });

  it("complains of nothing", () => expect(visitor.complaints).toEqual([]));
});

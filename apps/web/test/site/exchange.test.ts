import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { eventually, publishSoul, signUp } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

const card = JSON.stringify({
  spec: "chara_card_v3",
  spec_version: "3.0",
  data: { name: "Orla", description: "Keeps the light.", first_mes: "Come in, {{user}}." },
});

describe.skipIf(!chromium)("souls as files", () => {
  let hub: BrowserHub;
  let ada: Visitor;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    ada = await hub.visitor({ bypassCSP: true, reducedMotion: "reduce" });
    await signUp(ada.page, "ada");
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  const choose = async (name: string, text: string) => {
    await ada.page.goto("/publish");
    const chooser = ada.page.waitForEvent("filechooser");
    await ada.page.getByRole("button", { name: "Import a file" }).click();
    await (await chooser).setFiles({ name, mimeType: "", buffer: Buffer.from(text) });
  };

  it("imports a card as a private soul, after a look at it", async () => {
    const { page, complaints } = ada;
    await choose("orla.json", card);
    const dialog = page.getByRole("dialog", { name: "Import a file" });
    await dialog.getByText("is a character card (V3).").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Import as a private soul" }).click();
    await page.getByRole("heading", { name: "Orla" }).waitFor();
    await page.getByText("only you").waitFor();
    expect(complaints).toEqual([]);
  });

  it("says why a file cannot be imported, and returns the focus", async () => {
    const { page } = ada;
    await choose("broken.json", '{"spec":"chara_card_v3","data":{}}');
    const dialog = page.getByRole("dialog", { name: "Import a file" });
    await dialog.getByText("This file can't be imported.").waitFor();
    await dialog.getByText("is a card without any text").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await eventually(focused).toBe("Import a file");
  });

  it("offers a soul in every format, and saves the file", async () => {
    const { page } = ada;
    await publishSoul(page, {
      title: "Harbour Pilot",
      files: [["SOUL.md", "You bring ships in."]],
    });
    const button = page.getByRole("button", { name: "Export: Harbour Pilot" });
    await button.click();
    const dialog = page.getByRole("dialog", { name: "Export this soul" });
    await dialog.getByRole("link", { name: "CLAUDE.md" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const download = page.waitForEvent("download");
    await dialog.getByRole("link", { name: "CLAUDE.md" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^harbour-pilot-\d+\.md$/);
    expect(await readFile(await file.path(), "utf8")).toBe("You bring ships in.");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await eventually(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
  });
});

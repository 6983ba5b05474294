import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { eventually, signUp } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

const card = JSON.stringify({
  spec: "chara_card_v3",
  spec_version: "3.0",
  data: { name: "Orla", description: "{{char}} serves {{user}}.", first_mes: "Come in, {{user}}." },
});

describe.skipIf(!chromium)("souls as files", () => {
  let hub: BrowserHub;
  let ada: Visitor;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "soul-hub-exchange-"));
    hub = await startBrowserHub(chromium ?? "");
    ada = await hub.visitor({ bypassCSP: true, reducedMotion: "reduce" });
    await signUp(ada.page, "ada");
  }, LONG_MS);
  afterAll(async () => {
    await hub?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }, LONG_MS);

  const openChooser = async () => {
    const chooser = ada.page.waitForEvent("filechooser");
    await ada.page.getByRole("button", { name: "Add a file" }).click();
    await ada.page.getByRole("button", { name: /^From this device/ }).click();
    return chooser;
  };
  const choose = async (name: string, content: string | Uint8Array) => {
    await ada.page.goto("/publish");
    const chooser = openChooser();
    // The browser reads a file itself. Sending it 16 MiB through its debugger takes long.
    const file = path.join(folder, name);
    await writeFile(file, content);
    await (await chooser).setFiles(file);
    return ada.page.getByRole("dialog", { name: "Import a file" });
  };

  it("imports a card as a private soul, after a look at it", async () => {
    const { page, complaints } = ada;
    const dialog = await choose("orla.json", card);
    await dialog.getByText("is a character card (V3).").waitFor();
    await dialog.getByText("Orla", { exact: true }).first().waitFor();
    const parts = dialog.getByRole("region", { name: "Files of the soul" });
    await parts.getByText("GREETING.md").click();
    await parts.getByText("Come in, you.").waitFor();
    await parts.getByText("SOUL.md").click();
    await parts.getByText("Orla serves the person you answer.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Import as a private soul" }).click();
    await page.getByRole("heading", { name: "Orla" }).waitFor();
    await page.getByText("only you", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("says why a file cannot be imported, and returns the focus", async () => {
    const { page } = ada;
    const dialog = await choose("broken.json", '{"spec":"chara_card_v3","data":{}}');
    await dialog.getByText("This file can't be imported.").waitFor();
    await dialog.getByText("is a card without any text").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await eventually(focused).toBe("Add a file");
  });

  it("says so when there is no connection", async () => {
    const { page, context } = ada;
    await (await choose("orla.json", card)).getByRole("button", { name: "Cancel" }).click();
    await context.setOffline(true);
    await (await openChooser()).setFiles(path.join(folder, "broken.json"));
    const dialog = page.getByRole("dialog", { name: "Import a file" });
    await dialog.getByText("No connection to the hub").waitFor();
    await context.setOffline(false);
  });

  it("imports a package as a public soul, and says what was cut", async () => {
    const { page } = ada;
    const { zipSync } = await import("fflate");
    const files = {
      "SOUL.md": Buffer.from("You bring ships in."),
      "STYLE.md": Buffer.from("Short."),
      "notes/old.bin": Buffer.from([1, 2, 3]),
      "soul.json": Buffer.from(
        JSON.stringify({ specVersion: "0.6", name: "pilot", displayName: "P".repeat(200) }),
      ),
    };
    const dialog = await choose("pilot.zip", zipSync(files));
    await dialog.getByText("is a soul package.").waitFor();
    const region = (name: string) => dialog.getByRole("region", { name });
    const listed = region("Files of the soul").getByRole("listitem");
    expect(await listed.allTextContents()).toEqual([
      expect.stringMatching(/^SOUL\.md/),
      expect.stringMatching(/^STYLE\.md/),
    ]);
    expect(await region("Good to know").getByRole("listitem").count()).toBeGreaterThan(0);
    await dialog.getByText("files are kept beside the soul").click();
    await dialog.getByText("notes/old.bin").waitFor();
    await dialog.getByRole("switch", { name: /^Public/ }).click();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Import and publish" }).click();
    await page.waitForURL(/\/soul\/\d+$/);
    await page.getByText("You bring ships in.").waitFor();
    expect((await fetch(`${hub.url}/api${new URL(page.url()).pathname}`)).status).toBe(200);
  });

  it("imports a picture with a card, and a Markdown file", async () => {
    const { page } = ada;
    const { id } = await (await fetch(`${hub.url}/api/souls?limit=1`))
      .json()
      .then(({ data }) => data[0]);
    const exported = await fetch(`${hub.url}/api/soul/${id}/export?format=card-png`);
    const picture = await choose("card.png", new Uint8Array(await exported.arrayBuffer()));
    await picture.getByText("is a character card in a picture.").waitFor();
    const image = picture.locator("img");
    await eventually(() =>
      image.evaluate((shown) => (shown as HTMLImageElement).naturalWidth),
    ).toBeGreaterThan(0);
    const text = await choose(
      "notes.md",
      "---\ndescription: Use this: now\n---\n# Notes\n\nYou keep notes.",
    );
    await text.getByText("is a Markdown file.").waitFor();
    await text.getByText("The file has front matter that is not quite YAML").waitFor();
    await text.getByRole("button", { name: "Import as a private soul" }).click();
    await page.getByRole("heading", { name: "Notes", level: 1 }).first().waitFor();
  });

  it("does not send a file that is too large", async () => {
    const dialog = await choose("large.zip", new Uint8Array(16 * 1024 * 1024 + 1));
    await dialog.getByText("The request is too large").waitFor();
    expect(ada.complaints).toEqual([]);
  });
});

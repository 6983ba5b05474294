import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import { beforeAll, expect, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import type { Visitor } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";

const look = { bypassCSP: true, reducedMotion: "reduce" } as const;
const visitors = { ada: { as: "vip", look }, grace: { as: "vip", look } } as const;

/** The archive of an account, in the settings (0053). */
describeBrowser("one's own data", { visitors }, (hub, { ada, grace }) => {
  let archive: Buffer;

  beforeAll(async () => {
    const soul = { title: "Keeper", content: "You keep a lighthouse.", is_public: 0 };
    const { id } = await hub.post("/api/souls", soul, ada.key);
    await hub.put(`/api/soul/${id}`, { content: "You keep a harbour." }, ada.key);
    await hub.post("/api/chat", { soul_id: id, session_token: "pier", content: "Hello?" }, ada.key);
  });

  const download = async () => {
    const saved = ada.page.waitForEvent("download");
    await ada.page.getByRole("link", { name: "Download my data" }).click();
    const bytes = await readFile(await (await saved).path());
    return { bytes, names: Object.keys(unzipSync(bytes)) };
  };
  const choose = async ({ page }: Visitor, name: string, buffer: Buffer) => {
    await page.goto("/settings/data");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Import an archive" }).click();
    await (await chooser).setFiles({ name, mimeType: "application/zip", buffer });
    return page.getByRole("dialog", { name: "Import an archive" });
  };

  it("is downloaded with one click, whole or in part", async () => {
    const { page } = ada;
    await page.goto("/settings/data");
    const whole = await download();
    archive = whole.bytes;
    expect(whole.names).toEqual(
      expect.arrayContaining(["account.json", "rooms/1.ndjson", "manifest.json"]),
    );
    await page.getByRole("checkbox", { name: "Conversations" }).uncheck();
    const { names } = await download();
    expect(names.some((name) => name.startsWith("souls/"))).toBe(true);
    expect(names.some((name) => name.startsWith("rooms/"))).toBe(false);
    await page.getByRole("checkbox", { name: "Souls" }).uncheck();
    await page.getByRole("checkbox", { name: "Likes and ratings" }).uncheck();
    await page.getByText("Choose at least one part.").waitFor();
    expect(await page.getByRole("link", { name: "Download my data" }).count()).toBe(0);
  });

  it("is imported into another account, after a look at it", async () => {
    const { page } = grace;
    // The hub takes few archives in an hour, and each one may have 64 MB.
    const uploads: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") uploads.push(request.url().replace(hub.url, ""));
    });
    const dialog = await choose(grace, "ada.zip", archive);
    await dialog.getByText("The import would bring this into your account:").waitFor();
    const row = (name: string) =>
      dialog.getByRole("row").filter({ hasText: name }).getByRole("cell").allTextContents();
    expect(await row("Souls")).toEqual(["1", "0"]);
    expect(await row("Messages")).toEqual(["2", "0"]);
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.getByText("The archive is imported.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.goto("/my-souls");
    await page.getByRole("link", { name: "Keeper", exact: true }).waitFor();
    expect(uploads.filter((address) => address.startsWith("/api/import"))).toEqual([
      "/api/import?dry_run=1",
      "/api/import",
    ]);
    await page.goto("/my-chats");
    await page.getByText("Keeper").first().waitFor();
  });

  it("is not imported twice", async () => {
    const dialog = await choose(grace, "ada.zip", archive);
    const souls = dialog.getByRole("row").filter({ hasText: "Souls" }).getByRole("cell");
    await souls.first().waitFor();
    expect(await souls.allTextContents()).toEqual(["0", "1"]);
    await dialog.getByText("The archive has nothing new for your account.").waitFor();
    expect(await dialog.getByRole("button", { name: "Import", exact: true }).count()).toBe(0);
  });

  it("says why a file is no archive, and returns the focus", async () => {
    const { page } = grace;
    const dialog = await choose(grace, "broken.zip", Buffer.from("PK no zip"));
    await dialog.getByText("This file can't be imported").waitFor();
    expect(await dialog.getByRole("button", { name: "Import", exact: true }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe("Import an archive");
  });
});

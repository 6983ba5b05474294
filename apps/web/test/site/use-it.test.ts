import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import type { Visitor } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";
import { eventually, visit } from "../steps.ts";

const TITLE = "Keeper of the Light";
const look = { permissions: ["clipboard-read", "clipboard-write"] };
const visitors = { guest: { as: "guest", look }, ada: { as: "vip", look } } as const;

/** The dialog with every way to use a soul in other programs (0056). */
describeBrowser("the dialog “Use it elsewhere”", { visitors }, (hub, { guest, ada }) => {
  const publish = async (fields: object): Promise<number> => {
    const soul = { title: TITLE, content: "You keep a lighthouse.", ...fields };
    return Number((await hub.post("/api/souls", soul, ada.key)).id);
  };
  const opener = (page: Page) => page.getByRole("button", { name: "Use it elsewhere" });
  const open = async ({ page }: Visitor, id: number) => {
    await visit(page, `/soul/${id}`);
    await opener(page).click();
    const dialog = page.getByRole("dialog", { name: "Use it elsewhere" });
    await dialog.getByRole("heading", { name: "Terminal" }).waitFor();
    return dialog;
  };
  /** Presses a button, and returns what it copied. */
  const copied = async (inside: Locator, name: string) => {
    const page = inside.page();
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await inside.getByRole("button", { name, exact: true }).click();
    const read = () => page.evaluate(() => navigator.clipboard.readText());
    await eventually(read).not.toBe("");
    return read();
  };
  const withKey = { authorization: "" };

  beforeAll(async () => {
    withKey.authorization = `Bearer ${ada.key}`;
  });

  it("opens from one button, with four headings, and returns the focus", async () => {
    const inside = await open(guest, await publish({}));
    expect(await inside.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      "Use it elsewhere",
      "Chat apps",
      "Agents",
      "Files",
      "Terminal",
    ]);
    await guest.page.keyboard.press("Escape");
    await inside.waitFor({ state: "hidden" });
    const focused = () => guest.page.evaluate(() => document.activeElement?.textContent);
    await eventually(focused).toBe("Use it elsewhere");
  });

  it("copies the model and the base URL that a program needs", async () => {
    const id = await publish({ title: "L'été — à “Brest”!" });
    const inside = await open(guest, id);
    const model = await copied(inside, "Copy Model");
    const url = await copied(inside, "Copy Base URL");
    expect([model, url]).toEqual([`ada/l-ete-a-brest-${id}`, `${hub.url}/v1`]);
    const listed = await fetch(`${url}/models/soul-${id}`);
    expect(await listed.json()).toMatchObject({ id: model });
    const response = await fetch(`${url}/chat/completions`, {
      method: "POST",
      headers: { ...withKey, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Is it dark?" }] }),
    });
    expect(response.status).toBe(200);
  });

  it("copies the command of an agent, with a place for the key of a member", async () => {
    const id = await publish({});
    const add = `claude mcp add --transport http soul-hub ${hub.url}/mcp`;
    expect(await copied(await open(guest, id), "Copy Claude Code")).toBe(add);
    const inside = await open(ada, id);
    expect(await copied(inside, "Copy Claude Code")).toBe(
      `${add} --header "Authorization: Bearer YOUR_KEY"`,
    );
    expect(await copied(inside, "Copy Other agents")).toBe(`${hub.url}/mcp`);
    await inside.getByRole("link", { name: "Create a key" }).first().click();
    await ada.page.waitForURL(/\/settings\/keys$/);
  });

  it("offers every format as a link that saves a file", async () => {
    const id = await publish({});
    const inside = await open(guest, id);
    const links = inside.getByRole("region", { name: "Files" }).getByRole("link");
    const names: Record<string, string | undefined> = {};
    for (const link of await links.all()) {
      // With this attribute the browser saves the file under the name that the response gives.
      expect(await link.getAttribute("download")).toBe("");
      const address = new URL((await link.getAttribute("href")) ?? "", hub.url);
      const answer = await fetch(address);
      expect(answer.status).toBe(200);
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
      const disposition = answer.headers.get("content-disposition") ?? "";
      const format = address.searchParams.get("format") ?? "";
      names[format] = /^attachment; filename="([^"]+)"$/.exec(disposition)?.[1];
    }
    const name = `keeper-of-the-light-${id}`;
    expect(names).toEqual({
      zip: `${name}.zip`,
      md: `${name}.md`,
      "card-png": `${name}.png`,
      "card-json": `${name}.json`,
      "card-v2-json": `${name}.json`,
      charx: `${name}.charx`,
      "claude-md": `${name}.md`,
      "agents-md": `${name}.md`,
      "copilot-md": `${name}.md`,
      "cursor-mdc": `${name}.mdc`,
      "skill-md": `${name}.md`,
    });
  });

  it("saves a file with one click", async () => {
    const id = await publish({});
    const inside = await open(guest, id);
    const download = guest.page.waitForEvent("download");
    await inside.getByRole("link", { name: /^Soul package/ }).click();
    const file = await download;
    const answer = await fetch(file.url());
    const saved = await readFile(await file.path());
    expect(saved.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    expect(file.suggestedFilename()).toBe(`keeper-of-the-light-${id}.zip`);
  });

  it("has the commands of the terminal's tool", async () => {
    const id = await publish({});
    const inside = await open(guest, id);
    expect(await copied(inside, "Copy Sign in")).toBe(`npx soul-hub login --url ${hub.url}`);
    expect(await copied(inside, "Copy Talk")).toBe(`npx soul-hub chat ${id}`);
    expect(await copied(inside, "Copy Get its files")).toBe(`npx soul-hub pull ${id}`);
  });

  it("of a private soul gives its owner the files", async () => {
    const id = await publish({ is_public: 0, content: "My own words." });
    const inside = await open(ada, id);
    await inside.getByText("other people cannot use it in any program").waitFor();
    await inside.getByText("the scopes Chat and Read your souls").first().waitFor();
    const download = ada.page.waitForEvent("download");
    await inside.getByRole("link", { name: /^Markdown/ }).click();
    expect(await readFile(await (await download).path(), "utf8")).toBe("My own words.");
    await visit(guest.page, `/soul/${id}`);
    await guest.page.getByRole("heading", { name: "This soul doesn't exist" }).waitFor();
    expect(await opener(guest.page).count()).toBe(0);
  });

  it("of a gated soul is there for its author and for holders alone", async () => {
    const id = await publish({ nft_contract: "keys.near" });
    await visit(guest.page, `/soul/${id}`);
    await guest.page.getByRole("heading", { name: "For holders" }).waitFor();
    expect(await opener(guest.page).count()).toBe(0);
    const inside = await open(ada, id);
    await inside.getByText("its author and holders of its token can use it").waitFor();
    await inside.getByText("Without a key, agents can't read it.").waitFor();
    await inside.getByRole("link", { name: /^Soul package/ }).waitFor();
  });

  it("has a counterpart for each version of a soul", async () => {
    const id = await publish({ content: "Before." });
    await hub.put(`/api/soul/${id}`, { content: "After." }, ada.key);
    const { page } = guest;
    for (const [number, text] of [
      [1, "Before."],
      [2, "After."],
    ] as const) {
      await page.goto(`/soul/${id}/history?version=${number}`);
      const button = page.getByRole("button", { name: `Export v${number}` });
      await button.click();
      const dialog = page.getByRole("dialog", { name: `Export v${number}` });
      const download = page.waitForEvent("download");
      await dialog.getByRole("link", { name: /^CLAUDE/ }).click();
      expect(await readFile(await (await download).path(), "utf8")).toBe(text);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      await eventually(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
    }
  });
});

import { createWordModel } from "@soul-hub/api/testing";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import { describeBrowser } from "../describe-browser.ts";
import { eventually, phone, visit } from "../steps.ts";

const wide = { viewport: { width: 1440, height: 900 } };
const visitors = {
  ada: { as: "member", look: wide },
  reader: { as: "guest", look: phone },
} as const;
const hub = { embeddingModel: createWordModel() };

describeBrowser("a search by meaning (0079)", { visitors, hub }, (hub, { ada, reader }) => {
  const titles = (page: Page, within = page.locator("main")) =>
    within.getByRole("article").getByRole("heading").allTextContents();
  const closeToMeaning = (page: Page) =>
    page.getByRole("region", { name: "Close to what you meant" });

  beforeAll(async () => {
    const publish = (title: string, description: string) =>
      hub.post("/api/souls", { title, description, content: "# Text" }, ada.key);
    await publish("Chalk and Board", "A tutor of pupils after school.");
    await publish("Slate and Sponge", "Pupils ask this tutor after school.");
    await publish("Homework Planner", "Sorts the week.");
  });

  it("shows souls of a similar meaning below those with the words", async () => {
    for (const { page } of [ada, reader]) {
      await eventually(async () => {
        await page.goto("/?q=homework");
        await page.getByRole("article").first().waitFor();
        return (await titles(page, closeToMeaning(page))).sort();
      }).toEqual(["Chalk and Board", "Slate and Sponge"]);
      expect((await titles(page))[0]).toBe("Homework Planner");
      await page.getByRole("heading", { name: "3 souls for “homework”" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
    }
  });

  it("names the corrected question, and searches the words as written on demand", async () => {
    const { page } = ada;
    await page.goto("/?q=homewrok+planer");
    await page.getByText("Showing homework planner.").waitFor();
    expect((await titles(page))[0]).toBe("Homework Planner");
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Search homewrok planer as written" }).click();
    await page.getByRole("heading", { name: "No souls match “homewrok planer”" }).waitFor();
    expect(new URL(page.url()).searchParams.get("match")).toBe("text");
    // A search without a result offers three categories.
    expect(await page.locator('.blank-slate a[href^="/?role="]').count()).toBe(3);
    // The next question is searched in all ways again.
    await page.getByLabel("Search souls").fill("homewrok");
    await page.getByText("Showing homework.").waitFor();
    expect(new URL(page.url()).searchParams.has("match")).toBe(false);
  });

  it("shows similar souls below a soul, within reach of the keyboard", async () => {
    for (const { page } of [ada, reader]) {
      await visit(page, "/?q=Chalk+and+Board");
      await page.getByRole("link", { name: "Chalk and Board", exact: true }).click();
      const similar = page.getByRole("region", { name: "Similar souls" });
      const link = similar.getByRole("link", { name: "Slate and Sponge", exact: true });
      await link.waitFor();
      expect(await titles(page, similar)).not.toContain("Chalk and Board");
      expect(await axeViolations(page)).toEqual([]);
      await link.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Slate and Sponge" }).waitFor();
    }
  });

  it("shows no heading where no soul is similar", async () => {
    const { page } = reader;
    const description = "Glazes amphorae, kiln upon kiln, beside volcanic beaches of Santorini.";
    const soul = { title: "Potter", description, content: "# Text" };
    const { id } = await hub.post("/api/souls", soul, ada.key);
    const answer = page.waitForResponse(/souls\.similar/);
    await visit(page, `/soul/${id}`);
    expect((await answer).status()).toBe(200);
    await page.waitForLoadState("networkidle");
    expect(await page.getByRole("heading", { name: "Similar souls" }).count()).toBe(0);
  });
});

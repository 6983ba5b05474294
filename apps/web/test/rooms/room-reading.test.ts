import { expect, it } from "vitest";
import type { ModelOptions } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";
import { enterRoom, eventually, isLive, passHolder, replied, say, visit } from "../steps.ts";

/** How far the clock of a busy machine may be from a message's time. */
const TOLERANCE_MS = 240_000;
const long = Array.from({ length: 40 }, (_, n) => `const a${n} = ${n};`).join("\n");
const replies: Readonly<Record<string, string>> = {
  code: `\`\`\`js\n${long}\n\`\`\``,
  rare: "```rust\nfn main() {}\n```\n\n```klingon\nqapla\n```",
  math: "Inline $a^2 + b^2$, for $5 and $10.\n\n$$\n\\frac{1}{2}\n$$\n\nHostile: $\\href{javascript:alert(1)}{x}$",
  cjk: '**“引号”**后。**重要：**请。これは**「強調」**です。**한국어(言)**은\n\na**b**c\n\nnot **"this"**one',
  tasks: "- [x] pack\n- [ ] go\n- plain",
};
/** The first piece of a held reply ends at the first space. */
const streaming = "See:\n\n|a|b|\n|-|-|\n|1|2|\n|3 |4|\n\n[link](https://example.org) **bold**";
const visitors = { ada: { as: "member" } } as const;
const reply: ModelOptions["reply"] = ({ messages }) => {
  const asked = (messages.at(-1)?.content ?? "").replace(/^\[ada\] /, "");
  return asked === "stream" ? streaming : (replies[asked] ?? "Yes.");
};
const model = { reply };

describeBrowser("reading a room", { visitors, model }, (hub, { ada }) => {
  const whole = (count: number) => replied(ada.page, count);

  it("colours code, and folds long code until it is opened", async () => {
    const page = await enterRoom(ada, "code");
    await say(page, "code");
    await whole(1);
    await page.locator(".hljs-keyword").first().waitFor();
    const height = () => page.locator("pre").evaluate((pre) => pre.clientHeight);
    const folded = await height();
    await page.getByLabel("Show all 40 lines").press("Space");
    await eventually(height).toBeGreaterThan(folded);
    const opened = await height();
    await say(page, "And?");
    await whole(2);
    // Another message renders the room again, and leaves the block open.
    expect(await height()).toBe(opened);
  });

  it("colours rarer languages, and shows unknown ones as they are", async () => {
    const page = await enterRoom(ada, "rare");
    await say(page, "rare");
    await whole(1);
    await page.locator(".hljs-keyword").getByText("fn").waitFor();
    expect(await page.locator("pre", { hasText: "qapla" }).locator("span").count()).toBe(0);
  });

  it("reads emphasis beside the punctuation of Chinese, Japanese and Korean", async () => {
    const page = await enterRoom(ada, "cjk");
    await say(page, "cjk");
    await whole(1);
    await eventually(() => page.locator(".line__reply strong").allTextContents()).toEqual([
      "“引号”",
      "重要：",
      "「強調」",
      "한국어(言)",
      "b",
    ]);
    // The reply may be announced to screen readers as well.
    await page.getByText('not **"this"**one').first().waitFor();
  });

  it("gives a long message up to nine lines, and scrolls then", async () => {
    const page = await enterRoom(ada, "lines");
    const input = page.getByRole("textbox", { name: /^Message to/ });
    const height = () => input.evaluate(({ clientHeight }) => clientHeight);
    const one = await height();
    await input.fill("a\nb\nc");
    const line = ((await height()) - one) / 2;
    expect(line).toBeGreaterThan(10);
    await input.fill("a\n".repeat(30));
    expect(await height()).toBeCloseTo(one + 8 * line, 0);
    expect(await input.evaluate(({ scrollHeight }) => scrollHeight)).toBeGreaterThan(20 * line);
    await input.fill("");
    expect(await height()).toBe(one);
  });

  it("typesets formulas, but no prices, and lets none of them link", async () => {
    const page = await enterRoom(ada, "math");
    await say(page, "math");
    await whole(1);
    await eventually(() => page.locator(".katex-html").count()).toBe(3);
    await eventually(() => page.locator(".katex-display").count()).toBe(1);
    // The list of rooms may show the reply as well.
    await page.locator(".line__reply").getByText("for $5 and $10.").waitFor();
    expect(await page.locator(".line__reply a").count()).toBe(0);
  });

  it("shows check boxes in lists", async () => {
    const page = await enterRoom(ada, "tasks");
    await say(page, "tasks");
    await whole(1);
    const boxes = page.locator(".line__reply").getByRole("checkbox");
    await eventually(() => boxes.count()).toBe(2);
    await eventually(() =>
      boxes.evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked)),
    ).toEqual([true, false]);
    await eventually(() => page.locator(".line__reply li").allTextContents()).toEqual([
      "pack",
      "go",
      "plain",
    ]);
  });

  it("holds back an unfinished table row", async () => {
    const page = await enterRoom(ada, "stream");
    const finish = hub.model.holdNext();
    await say(page, "stream");
    await page.getByRole("cell", { name: "2" }).waitFor();
    const text = () => page.locator(".line__reply").textContent();
    expect(await text()).not.toContain("|");
    expect(await text()).not.toContain("3");
    finish();
    await page.getByRole("link", { name: "link" }).waitFor();
    await page.getByRole("cell", { name: "4" }).waitFor();
  });

  it("shows the time of each message, and its day", async () => {
    const page = await enterRoom(ada, "times");
    await say(page, "When?");
    await whole(1);
    await page.getByText("Today", { exact: true }).waitFor();
    const times = await page
      .locator(".line time")
      .evaluateAll((all) => all.map((time) => time.getAttribute("datetime") ?? ""));
    expect(times).toHaveLength(2);
    for (const time of times)
      expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(TOLERANCE_MS);
    await page.reload();
    await whole(1);
    await page.getByText("Today", { exact: true }).waitFor();
  });

  it("edits the reader's last message with the up arrow in an empty composer", async () => {
    const page = await enterRoom(ada, "arrow");
    const composer = page.getByLabel(/^Message to/);
    await composer.press("ArrowUp");
    await say(page, "Is it drak?");
    await whole(1);
    await composer.fill("x");
    await composer.press("ArrowUp");
    expect(await page.getByLabel("Text of the message").count()).toBe(0);
    await composer.fill("");
    await composer.press("ArrowUp");
    const editor = page.getByLabel("Text of the message");
    await eventually(() => editor.inputValue()).toBe("Is it drak?");
    await editor.press("Escape");
    await eventually(() => composer.evaluate((field) => field === document.activeElement)).toBe(
      true,
    );
    await composer.press("ArrowUp");
    await editor.fill("Is it dark?");
    await editor.press("Control+Enter");
    await page.locator(".line__said").getByText("Is it dark?", { exact: true }).waitFor();
  });

  it("greets with the soul's own words and starters, which no prompt contains", async () => {
    const key = await passHolder(hub, "lise", "vip");
    const files = {
      "SOUL.md": "You keep the light.",
      "GREETING.md": "Ahoy, **stranger**!",
      "STARTERS.md": ["", "Is it dark?", "x".repeat(100), "1", "2", "3", "4", "5"].join("\n"),
    };
    const content = JSON.stringify(files);
    const soul = { title: "Orla", content, file_type: "full_soul_folder" };
    const { id } = await hub.post("/api/souls", soul, key);
    const { page } = ada;
    await visit(page, `/chat/${id}/greeting`);
    await isLive(page);
    await page.locator(".line__reply strong").getByText("stranger").waitFor();
    const starters = page.locator(".starters").getByRole("button");
    await eventually(() => starters.allTextContents()).toEqual([
      "Is it dark?",
      "x".repeat(80),
      "1",
      "2",
      "3",
      "4",
    ]);
    const box = page.getByLabel(/^Message to/);
    await box.fill("Hello.");
    const label = starters.first().locator(".mantine-Button-label");
    const clipped = await label.evaluate((box) => box.scrollHeight - box.clientHeight);
    expect(clipped).toBeLessThanOrEqual(0);
    await starters.first().click();
    expect(await box.inputValue()).toBe("Hello.\n\nIs it dark?");
    await box.fill("");
    await starters.nth(1).click();
    await starters.first().click();
    expect(await box.inputValue()).toBe("Is it dark?");
    await box.press("Enter");
    await whole(1);
    expect(await page.getByText("Ahoy,").count()).toBe(0);
    const system = hub.model.requests.at(-1)?.system ?? "";
    expect(system).toContain("Ahoy, **stranger**!");
    expect(system).not.toContain("Is it dark?");
    await page.reload();
    await whole(1);
    expect(await page.locator(".line").count()).toBe(2);
  });
});

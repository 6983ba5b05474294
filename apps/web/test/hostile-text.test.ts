import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "./browser-hub.ts";
import { eventually, isLive, publishSoul, say, signUp } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

/** The script of most attacks sets `window.ran`. The other attacks would request a foreign host. */
const RUN = "window.ran = true";
const attacks = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<img src="https://elsewhere.example/pixel.png">`,
  `<svg onload="${RUN}"><a xlink:href="javascript:${RUN}">x</a></svg>`,
  `<svg><style><img src=x onerror="${RUN}"></style></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${RUN}&gt;">`,
  `<iframe src="javascript:parent.ran = true"></iframe>`,
  `<iframe srcdoc="<script>parent.ran = true</script>"></iframe>`,
  `<form action="javascript:${RUN}"><button>x</button></form>`,
  `<a href="javascript:${RUN}" onclick="${RUN}">x</a>`,
  `<style>body { background: url(https://elsewhere.example/css.png) }</style>`,
  `<link rel="stylesheet" href="https://elsewhere.example/x.css">`,
  `<meta http-equiv="refresh" content="0;url=https://elsewhere.example/">`,
  `<base href="https://elsewhere.example/">`,
  `<object data="javascript:${RUN}"></object><embed src="javascript:${RUN}">`,
  `<details open ontoggle="${RUN}">x</details>`,
  `<input autofocus onfocus="${RUN}">`,
  `[a](javascript:${RUN})`,
  `[b](JaVaScRiPt:${RUN})`,
  `[c](&#106;avascript:${RUN})`,
  `[d](java\tscript:${RUN})`,
  `[e](<java\nscript:${RUN}>)`,
  `[f](\u0001javascript:${RUN})`,
  `[g](data:text/html,<script>${RUN}</script>)`,
  `[h](vbscript:${RUN})`,
  `[i][ref]`,
  `<javascript:${RUN}>`,
  `![p](https://elsewhere.example/markdown.png)`,
  `![q](javascript:${RUN})`,
  `![r](https://elsewhere.example/a.png"onerror="${RUN})`,
  `[s](https://elsewhere.example/"onmouseover="${RUN})`,
  `[t](https://elsewhere.example 'x" onmouseover="${RUN}')`,
  `\`\`\`"><img src=x onerror=${RUN}>\nx\n\`\`\``,
  `**<b onmouseover="${RUN}">x</b>**`,
  `> <details open ontoggle=${RUN}>`,
  `| <img src=x onerror=${RUN}> | b |\n|---|---|\n| [x](javascript:${RUN}) | c |`,
  `[ref]: javascript:${RUN}`,
].join("\n\n");

const TITLE = `<img src=x onerror="${RUN}"><script>${RUN}</script>`;

describe.skipIf(!chromium)("hostile text in the browser", () => {
  let hub: BrowserHub;
  let mallory: Visitor;
  let reader: Visitor;
  let soulAddress: string;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    mallory = await hub.visitor();
    reader = await hub.visitor();
    await signUp(mallory.page, "mallory");
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  /** Moves the pointer over all links, since some attacks wait for the pointer. */
  async function provoke({ page }: Visitor): Promise<void> {
    for (const link of await page.locator(".markdown a").all()) await link.hover();
    await page.waitForTimeout(300);
  }

  async function expectHarmless(visitor: Visitor): Promise<void> {
    await provoke(visitor);
    const found = await visitor.page.evaluate(() => ({
      ran: "ran" in window,
      links: [...document.querySelectorAll(".markdown a[href]")].map((a) => [
        a.getAttribute("href") ?? "",
        a.getAttribute("rel"),
        a.getAttribute("target"),
      ]),
      elements: document.querySelectorAll(
        ".markdown :is(script, img, svg, iframe, form, style, object, embed, math, details, base, meta, link)",
      ).length,
      handlers: [...document.querySelectorAll(".markdown *")].flatMap((element) =>
        element.getAttributeNames().filter((name) => name.startsWith("on") || name === "style"),
      ),
    }));
    expect(found.ran).toBe(false);
    expect(found.elements).toBe(0);
    expect(found.handlers).toEqual([]);
    for (const [href, rel, target] of found.links) {
      expect(href).toMatch(/^(https?:|mailto:)/i);
      expect([rel, target]).toEqual(["noopener noreferrer nofollow", "_blank"]);
    }
    expect(visitor.strayRequests).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  }

  it(
    "executes nothing in the editor and its preview",
    async () => {
      await publishSoul(mallory.page, {
        title: TITLE,
        description: attacks.slice(0, 1_900),
        files: [
          ["SOUL.md", attacks],
          ["NOTES.txt", attacks],
        ],
      });
      soulAddress = mallory.page.url();
      await expectHarmless(mallory);
    },
    LONG_MS,
  );

  it(
    "executes nothing on the soul's page and in the list",
    async () => {
      const { page } = reader;
      await page.goto(soulAddress);
      await eventually(() => page.locator("h1").textContent()).toBe(TITLE);
      await page.locator(".markdown a[href]").first().waitFor();
      await expectHarmless(reader);
      await page.getByRole("tab", { name: "NOTES.txt" }).click();
      await expectHarmless(reader);
      await page.goto("/");
      await page.getByRole("link", { name: TITLE, exact: true }).waitFor();
      await expectHarmless(reader);
    },
    LONG_MS,
  );

  it(
    "executes nothing in a room: message, reply and title of the soul",
    async () => {
      await mallory.page.goto(soulAddress);
      await mallory.page.getByRole("link", { name: /^Talk: / }).click();
      await isLive(mallory.page);
      await reader.page.goto(mallory.page.url());
      await isLive(reader.page);
      const line = attacks.slice(0, 1_500);
      await say(mallory.page, line);
      for (const { page } of [mallory, reader]) {
        await eventually(() => page.locator(".line__said").allTextContents()).toEqual([line]);
        // The test model quotes the message, so the reply contains the same attacks.
        await eventually(() => page.locator(".line__reply").textContent()).toContain("You said");
        await page.getByRole("img", { name: "is writing" }).waitFor({ state: "detached" });
      }
      await expectHarmless(mallory);
      await expectHarmless(reader);
    },
    LONG_MS,
  );
});

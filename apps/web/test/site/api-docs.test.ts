import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

describe.skipIf(!chromium)("the API reference", { timeout: LONG_MS }, () => {
  let hub: BrowserHub;
  let visitor: Visitor;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    visitor = await hub.visitor();
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it.each([
    [
      "v1",
      "OpenAI's protocol",
      ["/v1", "Who pays.", "metadata.session_token", "ada/keeper-of-the-light-7"],
    ],
    [
      "mcp",
      "Model Context Protocol",
      ["/mcp", "claude mcp add --transport http soul-hub", "talk_to_soul", "soul-hub://soul/{id}"],
    ],
  ])("has a chapter on /%s", async (tag, heading, texts) => {
    const { page } = visitor;
    await page.goto(`/docs#tag/${tag}`);
    await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
    const chapter = page.locator("main");
    for (const text of texts) await chapter.getByText(text).first().waitFor();
    await chapter.getByText(`${hub.url}/${tag}`).first().waitFor();
  });

  it("is at the hub's own host, because the page may call no other", async () => {
    const { page } = visitor;
    const { port } = new URL(hub.url);
    await page.goto(`http://127.0.0.1:${port}/docs`);
    expect(page.url()).toBe(`${hub.url}/docs/`);
  });

  it("asks no other site", () => {
    const own = ({ strayRequests }: Visitor) =>
      strayRequests.filter((address) => !address.startsWith("http://127.0.0.1:"));
    expect(own(visitor)).toEqual([]);
  });
});

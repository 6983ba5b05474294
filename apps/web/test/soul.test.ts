import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "./browser-hub.ts";
import { eventually, publishSoul, signUp } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 60_000;

describe.skipIf(!chromium)("a soul's page in the browser", () => {
  let hub: BrowserHub;
  let author: Visitor;
  let reader: Visitor;
  let address: string;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    author = await hub.visitor();
    await signUp(author.page, "grace");
    await publishSoul(author.page, {
      title: "Harbour Pilot",
      files: [
        ["SOUL.md", "You bring ships in.\n\nYou know every rock."],
        ["STYLE.md", "Few words."],
      ],
    });
    address = new URL(author.page.url()).pathname;
    reader = await hub.visitor();
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it("invites a guest to sign in before they like or fork, and brings them back", async () => {
    const { page } = reader;
    await page.goto(address);
    await page.getByText("to like it, rate it or fork it").waitFor();
    await signUp(page, "alan");
    await page.goto(address);
    await page.getByRole("button", { name: "Like: Harbour Pilot" }).waitFor();
  });

  it("likes at once and takes the like back", async () => {
    const { page } = reader;
    const like = page.getByRole("button", { name: "Like: Harbour Pilot" });
    await like.click();
    await eventually(() => like.getAttribute("aria-pressed")).toBe("true");
    await page.reload();
    await eventually(() => like.getAttribute("aria-pressed")).toBe("true");
    expect(await like.textContent()).toBe("1");
    await like.click();
    await page.waitForLoadState("networkidle");
    await page.reload();
    await eventually(() => like.textContent()).toBe("Like");
  });

  it("takes a like back from the page when the hub refuses it", async () => {
    const { page } = reader;
    await page.route("**/trpc/social.like**", (route) => route.abort());
    const like = page.getByRole("button", { name: "Like: Harbour Pilot" });
    await like.click();
    await page.getByText("No connection to the hub").waitFor();
    await eventually(() => like.getAttribute("aria-pressed")).toBe("false");
    await page.unroute("**/trpc/social.like**");
  });

  it("rates with the keyboard, once a person", async () => {
    const { page } = reader;
    await page.getByRole("radio", { name: "4 stars" }).click({ force: true });
    await page.getByText("4.0 of 5 (1)").waitFor();
    await page.getByRole("radio", { name: "4 stars" }).press("ArrowRight");
    await page.getByText("5.0 of 5 (1)").waitFor();
    await page.reload();
    await eventually(() => page.getByRole("radio", { name: "5 stars" }).isChecked()).toBe(true);
  });

  it("forks into a private copy that is open for writing", async () => {
    const { page } = reader;
    await page.getByRole("button", { name: "Fork: Harbour Pilot" }).click();
    await page.waitForURL(/\/soul\/\d+\/edit$/);
    await page.goto(page.url().replace("/edit", ""));
    await page.getByText("forked from").waitFor();
    await page.getByText("only you").waitFor();
    await page.getByRole("link", { name: "Harbour Pilot", exact: true }).click();
    await page.waitForURL(new RegExp(`${address}$`));
  });

  it(
    "shows what an edit changed, brings a version back, and undoes that",
    async () => {
      const { page } = author;
      await page.goto(`${address}/history`);
      await page.getByText("Nothing has changed yet").waitFor();
      await page.goto(`${address}/edit`);
      await page.getByLabel("Title").fill("Harbour Master");
      await page.getByLabel("Text of SOUL.md").fill("You bring ships in.\n\nYou know every shoal.");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("heading", { name: "Harbour Master" }).waitFor();
      await page.getByRole("link", { name: "What changed" }).click();
      const changes = page.getByRole("region", { name: "Changes in SOUL.md" });
      await changes.getByRole("deletion").getByText("rock").waitFor();
      await changes.getByRole("insertion").getByText("shoal").waitFor();
      await page.getByText("One file is unchanged.").waitFor();

      await page.getByRole("button", { name: "Restore Version 1" }).click();
      await page.getByText("Version 1 is back").waitFor();
      const title = async () =>
        (await (await fetch(`${hub.url}/api${address}`)).json()).data.title as string;
      expect(await title()).toBe("Harbour Pilot");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("Undone").waitFor();
      expect(await title()).toBe("Harbour Master");
    },
    LONG_MS,
  );

  it("lets a reader compare any two versions, and restore none", async () => {
    const { page } = reader;
    await page.goto(`${address}/history`);
    await page.getByLabel("Before").selectOption({ index: 3 });
    await page.getByLabel("After").selectOption({ index: 0 });
    await page.waitForURL(/from=\d+&to=0$/);
    await page
      .getByRole("region", { name: "Changes in SOUL.md" })
      .getByRole("insertion")
      .getByText("shoal")
      .waitFor();
    expect(await page.getByRole("button", { name: /^Restore/ }).count()).toBe(0);
  });

  it("leads from the author's name to their profile", async () => {
    const { page } = reader;
    await page.goto(address);
    await page.getByRole("link", { name: "grace" }).click();
    await page.waitForURL(/\/u\/grace$/);
    await page.getByRole("link", { name: "Harbour Master", exact: true }).waitFor();
    await page.getByText("1 soul").waitFor();
    await page.goto("/u/nobody-here");
    await page.getByText("There is nobody by that name").waitFor();
  });

  it("complains of nothing", () => {
    expect([...author.complaints, ...reader.complaints]).toEqual([]);
  });
});

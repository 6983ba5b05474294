import { beforeAll, expect, it } from "vitest";
import { describeBrowser } from "./describe-browser.ts";
import { eventually, phone, publishSoul, signUp, visit } from "./steps.ts";

const visitors = { grace: { as: "member" }, reader: { as: "guest" } } as const;

describeBrowser("a soul's page", { visitors }, (hub, { grace, reader }) => {
  let address: string;

  beforeAll(async () => {
    await publishSoul(grace.page, {
      title: "Harbour Pilot",
      files: [
        ["SOUL.md", "You bring ships in.\n\nYou know every rock."],
        ["STYLE.md", "Few words."],
      ],
    });
    address = new URL(grace.page.url()).pathname;
  });

  it("asks a guest to sign in before a like or fork", async () => {
    const { page } = reader;
    await page.goto(address);
    await page.getByText("to like it, rate it or fork it").waitFor();
    await signUp(page, "alan");
    await page.goto(address);
    await page.getByRole("button", { name: "Like: Harbour Pilot" }).waitFor();
  });

  it("likes a soul and removes the like", async () => {
    const { page } = reader;
    const like = page.getByRole("button", { name: "Like: Harbour Pilot" });
    const stored = page.waitForResponse(/social\.like/);
    await like.click();
    await eventually(() => like.getAttribute("aria-pressed")).toBe("true");
    await stored;
    await page.reload();
    await eventually(() => like.getAttribute("aria-pressed")).toBe("true");
    await eventually(() => like.textContent()).toBe("1");
    await like.click();
    await page.waitForLoadState("networkidle");
    await page.reload();
    await eventually(() => like.textContent()).toBe("Like");
  });

  it("reverts a like that the hub refuses", async () => {
    const { page } = reader;
    await page.route("**/trpc/social.like**", (route) => route.abort());
    const like = page.getByRole("button", { name: "Like: Harbour Pilot" });
    await like.click();
    await page.getByText("No connection to the hub").waitFor();
    await eventually(() => like.getAttribute("aria-pressed")).toBe("false");
    await page.unroute("**/trpc/social.like**");
  });

  it("rates with the keyboard, once per member", async () => {
    const { page } = reader;
    await page.getByRole("radio", { name: "4 stars" }).press("Space");
    await page.getByText("4.0 of 5 (1)").waitFor();
    await page.getByRole("radio", { name: "4 stars" }).press("ArrowRight");
    await page.getByText("5.0 of 5 (1)").waitFor();
    await page.reload();
    await eventually(() => page.getByRole("radio", { name: "5 stars" }).isChecked()).toBe(true);
  });

  it("forks into a private copy and opens it for editing", async () => {
    const { page } = reader;
    await page.getByRole("button", { name: "Fork: Harbour Pilot" }).click();
    await page.waitForURL(/\/soul\/\d+\/edit$/);
    await page.goto(page.url().replace("/edit", ""));
    await page.getByText("forked from").waitFor();
    await page.getByText("only you").waitFor();
    await page.getByRole("link", { name: "Harbour Pilot", exact: true }).click();
    await page.waitForURL(new RegExp(`${address}$`));
  });

  it("shows the changes of an edit, restores a version, and undoes that", async () => {
    const { page } = grace;
    await page.goto(`${address}/history`);
    await page.getByRole("region", { name: "The text of v1" }).waitFor();
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

    await page.getByRole("link", { name: /^v1/ }).click();
    await page.getByRole("button", { name: "Restore v1" }).click();
    await page.getByText("v1 restored as v3").waitFor();
    const title = async () =>
      (await (await fetch(`${hub.url}/api${address}`)).json()).data.title as string;
    await eventually(() => title()).toBe("Harbour Pilot");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    await eventually(() => title()).toBe("Harbour Master");
  });

  it("lets a reader compare any two versions, without restoring them", async () => {
    const { page } = reader;
    await page.goto(`${address}/history`);
    await page.getByLabel("Show").selectOption("1");
    await page.waitForURL(/version=4&with=1$/);
    await page
      .getByRole("region", { name: "Changes in SOUL.md" })
      .getByRole("insertion")
      .getByText("shoal")
      .waitFor();
    await eventually(() => page.getByRole("button", { name: /^Restore/ }).count()).toBe(0);
  });

  it("links the author's profile", async () => {
    const { page } = reader;
    await page.goto(address);
    await page.getByRole("link", { name: "grace" }).click();
    await page.waitForURL(/\/u\/grace$/);
    await page.getByRole("link", { name: "Harbour Master", exact: true }).waitFor();
    await page.getByText("1 soul").waitFor();
    await visit(page, "/u/nobody-here");
    await page.getByText("This user doesn't exist").waitFor();
  });

  it("does not mark an unchanged last line without a final newline", async () => {
    const { page } = grace;
    await publishSoul(page, { title: "Lighthouse", files: [["SOUL.md", "One.\n\nTwo."]] });
    const path = new URL(page.url()).pathname;
    await visit(page, `${path}/edit`);
    await page.getByLabel("Text of SOUL.md").fill("One.\n\nTwo.\n\nThree.");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("link", { name: "What changed" }).click();
    const changes = page.getByRole("region", { name: "Changes in SOUL.md" });
    await changes.getByText("Three.").waitFor();
    await eventually(() => changes.locator("tr[data-same=true]").last().textContent()).toBe(
      "3Two.3Two.",
    );
    await eventually(() => changes.locator("tr[data-same=false]").allTextContents()).toEqual([
      "4",
      "5Three.",
    ]);
  });

  it("shows right-to-left text from right to left, next to left-to-right text", async () => {
    const { page } = grace;
    const arabic = "مرحبا بالعالم";
    await visit(page, "/publish");
    const directionOf = (label: string) =>
      page
        .getByLabel(label)
        .first()
        .evaluate((field) => getComputedStyle(field).direction);
    await page.getByLabel("Title").fill(arabic);
    await page.getByLabel("Description").fill("דג");
    expect(await directionOf("Title")).toBe("rtl");
    expect(await directionOf("Description")).toBe("rtl");
    expect(await directionOf("Domain")).toBe("ltr");
    await page.getByLabel("Text of SOUL.md").fill(`English.\n${arabic}`);
    const lines = page.locator(".cm-line");
    await eventually(() =>
      lines.evaluateAll((nodes) => nodes.map((node) => getComputedStyle(node).direction)),
    ).toEqual(["ltr", "rtl"]);
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.waitForURL(/\/soul\/\d+$/);
    const shown = (text: string) =>
      page
        .getByText(text, { exact: true })
        .first()
        .evaluate((node) => getComputedStyle(node).direction);
    await eventually(() => shown(arabic)).toBe("rtl");
    await eventually(() => shown("דג")).toBe("rtl");
    await page.goto("/");
    await page.getByRole("article").first().waitFor();
    await eventually(() => shown(arabic)).toBe("rtl");
    await eventually(() => shown("דג")).toBe("rtl");
    await page.getByRole("link", { name: arabic, exact: true }).click();
    await page.getByRole("link", { name: /^Edit/ }).click();
    await page.getByRole("heading", { name: /^Edit/ }).waitFor();
  });

  it("offers the conversation first: Talk, greeting and starters fill a phone's first screen", async () => {
    await publishSoul(grace.page, {
      title: "The keeper of the last light before the open sea",
      description: "Keeps the light on the last rock. ".repeat(20),
      files: [
        ["SOUL.md", "You keep a lighthouse. ".repeat(100)],
        ["GREETING.md", "*The lamp turns.* Who goes there? ".repeat(40)],
        ["STARTERS.md", "Is it dark?\nTell me about the ship that never came back\nThird\nFourth"],
      ],
    });
    const visitor = await hub.visitor(phone);
    const { page } = visitor;
    await page.goto(new URL(grace.page.url()).pathname);
    const intro = page.locator(".soul__intro");
    const parts = [
      intro.locator(".sigil"),
      intro.getByRole("heading", { level: 1 }),
      intro.getByText("Keeps the light on the last rock."),
      intro.getByRole("link", { name: /^Talk: / }),
      intro.getByText("Who goes there?"),
      ...["Is it dark?", "Tell me about", "Third"].map((text) => intro.getByText(text)),
      page.getByRole("region", { name: "The soul's text" }),
      page.getByText("Category", { exact: true }),
    ];
    const tops: number[] = [];
    for (const part of parts) tops.push((await part.boundingBox())?.y ?? Number.NaN);
    // The picture is beside the title.
    expect(tops.slice(1)).toEqual(tops.slice(1).toSorted((one, other) => one - other));
    const lastStarter = await intro.getByRole("link").last().boundingBox();
    expect(lastStarter && lastStarter.y + lastStarter.height).toBeLessThan(phone.viewport.height);
    for (const zero of ["Likes", "Forks", "Rating", "Fourth"]) {
      expect(await page.getByText(zero, { exact: true }).count()).toBe(0);
    }
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Less" }).waitFor();

    await page.getByRole("link", { name: /^Is it dark/ }).click();
    await page.waitForURL(/\/chat\/\d+\/[0-9a-f]{32}$/);
    await eventually(() => page.getByLabel(/^Message to/).inputValue()).toBe("Is it dark?");
    await visitor.context.close();
  });

  it("keeps the tabs of files with long names in one row on a phone", async () => {
    await publishSoul(grace.page, {
      title: "Archive",
      files: [
        ["SOUL.md", "You know every shelf."],
        [`${"shelf-".repeat(16)}a.md`, "The first shelf."],
      ],
    });
    const { page, context } = await hub.visitor({ viewport: { width: 360, height: 740 } });
    await page.goto(new URL(grace.page.url()).pathname);
    const last = page.getByRole("tab").last();
    await last.waitFor();
    const boxes = [await page.getByRole("tab").first().boundingBox(), await last.boundingBox()];
    expect(boxes[0]?.y).toBe(boxes[1]?.y);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await last.click();
    await page.getByText("The first shelf.").waitFor();
    await context.close();
  });
});

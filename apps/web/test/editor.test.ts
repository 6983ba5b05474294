import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { zipSync } from "fflate";
import { beforeAll, expect, it } from "vitest";
import { describeBrowser } from "./describe-browser.ts";
import { eventually } from "./steps.ts";

const utf8 = (text: string) => Buffer.from(text, "utf8");
const visitors = { ursula: { as: "member" } } as const;

describeBrowser("the editor", { visitors }, (_, { ursula }) => {
  beforeAll(async () => {
    await ursula.page.goto("/publish");
  });

  const tabs = () => ursula.page.locator(".file-editor__tab").allTextContents();
  const text = (name: string) => ursula.page.getByLabel(`Text of ${name}`);
  const choose = (files: Array<{ name: string; buffer: Buffer }>) =>
    ursula.page
      .getByLabel("Files of the soul")
      .setInputFiles(files.map((file) => ({ mimeType: "application/octet-stream", ...file })));

  /**
   * Clicks a button that a toast may cover. Toasts stay while the pointer is over one, so the
   * pointer leaves them first.
   */
  const click = async (name: string) => {
    await ursula.page.mouse.move(0, 0);
    await ursula.page.getByRole("button", { name, exact: true }).click();
  };

  /** A .zip alone may be a whole soul: the page asks. */
  const chooseTexts = async (name: string, buffer: Buffer) => {
    await choose([{ name, buffer }]);
    await click("Only its texts, into the form");
  };

  it("loads CodeMirror on first use, and carries over text, selection, focus and undo", async () => {
    const { page } = ursula;
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(request.url()));
    const release = Promise.withResolvers<void>();
    await page.route("**/assets/codemirror-*.js", async (route) => {
      await release.promise;
      await route.continue();
    });
    await page.reload({ waitUntil: "networkidle" });
    expect(loaded.filter((url) => /codemirror|markdown/.test(url))).toEqual([]);
    await text("SOUL.md").click();
    await page.keyboard.type("Typed early.");
    for (let step = 0; step < "early.".length; step++) await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Shift+ArrowRight");
    expect(await text("SOUL.md").evaluate((node) => node.tagName)).toBe("TEXTAREA");
    release.resolve();
    await page.locator(".cm-content").waitFor();
    await page.keyboard.type("E");
    await eventually(() => text("SOUL.md").textContent()).toBe("Typed Early.");
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(() => text("SOUL.md").textContent()).toBe("Typed early.");
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(() => text("SOUL.md").textContent()).not.toContain("Typed");
    await page.unroute("**/assets/codemirror-*.js");
  });

  it("keeps focus and undo when a correction follows a refused publish", async () => {
    const { page } = ursula;
    await text("SOUL.md").fill("First.");
    // CodeMirror joins changes within 500 ms into one undo step, so the test waits before the next
    // change.
    await page.waitForTimeout(600);
    await text("SOUL.md").fill("");
    await page.getByLabel("Title").fill("The Cartographer");
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("Enter the soul's text").waitFor();
    await eventually(() => text("SOUL.md").getAttribute("aria-invalid")).toBe("true");
    await text("SOUL.md").focus();
    await page.keyboard.type("Draws maps.");
    await eventually(() => text("SOUL.md").textContent()).toBe("Draws maps.");
    await eventually(() => text("SOUL.md").getAttribute("aria-invalid")).toBe("false");
    await eventually(async () => {
      await page.keyboard.press("ControlOrMeta+z");
      return text("SOUL.md").textContent();
    }).toBe("First.");
  });

  it("renders a preview beside the text", async () => {
    await text("SOUL.md").fill("# The Cartographer\n\nDraws **maps**.");
    const preview = ursula.page.getByRole("region", { name: "Preview" });
    await preview.getByRole("heading", { name: "The Cartographer" }).waitFor();
    await preview.getByRole("strong").waitFor();
  });

  it("does not trap the Tab key", async () => {
    await text("SOUL.md").focus();
    await ursula.page.keyboard.press("Tab");
    await eventually(() =>
      text("SOUL.md").evaluate((node) => node === document.activeElement),
    ).toBe(false);
  });

  it("adds chosen files, and names the rejected ones", async () => {
    await choose([
      { name: "STYLE.md", buffer: utf8("Dry.") },
      { name: "photo.png", buffer: Buffer.from([0x89, 0x50, 0xff, 0x00]) },
      { name: "no extension", buffer: utf8("x") },
    ]);
    await ursula.page.getByText("1 file added").waitFor();
    await ursula.page.getByText("photo.png is not a text file").waitFor();
    await eventually(() => tabs()).toEqual(["SOUL.md", "STYLE.md"]);
  });

  it("unpacks a .zip file, and replaces files of the same name", async () => {
    // With the other three these are 500 files, the most that are read.
    const hidden = Array.from({ length: 497 }, (_, at) => [`soul/.git/${at}`, utf8("hidden")]);
    const zip = zipSync({
      "soul/SOUL.md": utf8("From the zip."),
      "soul/RULES.md": utf8("Never guess."),
      ...Object.fromEntries(hidden),
      "__MACOSX/soul/._SOUL.md": utf8("remains"),
    });
    await chooseTexts("soul.zip", Buffer.from(zip));
    await ursula.page.getByText("2 files added").waitFor();
    expect((await tabs()).toSorted()).toEqual(["RULES.md", "SOUL.md", "STYLE.md"]);
    await click("SOUL.md");
    await eventually(() => text("SOUL.md").textContent()).toBe("From the zip.");
    await chooseTexts("broken.zip", utf8("this is no zip"));
    await ursula.page.getByText("broken.zip could not be opened").waitFor();
  });

  it("rejects a .zip file with too many or too large entries", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 501 }, (_, at) => [`FILE-${at}.md`, utf8("x")]),
    );
    await chooseTexts("many.zip", Buffer.from(zipSync(many)));
    await ursula.page.getByText("many.zip holds too many files or too much text").waitFor();
    const large = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`FILE-${at}.md`, Buffer.alloc(700_000, "x")]),
    );
    await chooseTexts("large.zip", Buffer.from(zipSync(large)));
    await ursula.page.getByText("large.zip holds too many files or too much text").waitFor();
    expect((await tabs()).length).toBe(3);
  });

  it("adds a file that is dropped anywhere on the page", async () => {
    const { page } = ursula;
    const file = path.join(await mkdtemp(path.join(tmpdir(), "soul-hub-drop-")), "DROPPED.md");
    await writeFile(file, "Dropped.");
    const heading = page.getByRole("heading", { level: 1 });
    await heading.scrollIntoViewIfNeeded();
    const { x, y } = (await heading.boundingBox()) ?? { x: 0, y: 0 };
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [file], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const) {
      await session.send("Input.dispatchDragEvent", { type, x: x + 5, y: y + 5, data });
    }
    await eventually(tabs).toContain("DROPPED.md");
    await click("DROPPED.md");
    await eventually(() => text("DROPPED.md").textContent()).toBe("Dropped.");
    await click("Remove file");
  });

  it("reports text over the limit before publishing", async () => {
    await choose([{ name: "LONG.md", buffer: utf8("a".repeat(200_001)) }]);
    await ursula.page.getByText(/More than 200,000 characters/).waitFor();
    await click("LONG.md");
    await click("Remove file");
  });

  it("warns before a navigation leaves unsaved work, and restores it", async () => {
    const { page } = ursula;
    await page.getByLabel("Title").fill("The Cartographer");
    await page.getByRole("link", { name: "Mini apps" }).first().click();
    await page.getByRole("button", { name: "Stay" }).click();
    expect(new URL(page.url()).pathname).toBe("/publish");
    await page.getByRole("link", { name: "Mini apps" }).first().click();
    await page.getByRole("button", { name: "Leave", exact: true }).click();
    // The address changes before the page does.
    await page.getByRole("heading", { name: "Mini apps", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Publish", exact: true }).click();
    await eventually(() => page.getByLabel("Title").inputValue()).toBe("The Cartographer");
  });

  it("talks to the unsaved text, and stores nothing", async () => {
    const { page } = ursula;
    for (const [name, words] of [
      ["GREETING.md", "Welcome aboard."],
      ["STARTERS.md", "Which way is north?"],
    ] as const) {
      await click("Add a file");
      await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
      await text(name).fill(words);
    }
    await click("Try");
    const trial = page.getByRole("region", { name: "Try the soul" });
    const said = trial.getByRole("log");
    await said.getByText("Welcome aboard.").waitFor();
    await trial.getByText("20 messages left today").waitFor();
    await trial.getByRole("button", { name: "Which way is north?" }).click();
    await trial.getByLabel("Message to The Cartographer").press("Enter");
    await said.getByText(/My soul says .*You said “\[ursula\] Which way is north\?”/).waitFor();
    await trial.getByText("19 messages left today").waitFor();
    // A change of the text is in the next reply, and a failed one can be asked for again.
    await click("SOUL.md");
    await text("SOUL.md").fill("I draw **new** maps.");
    await page.route("**/trpc/chat.try", (route) => route.abort(), { times: 1 });
    await trial.getByLabel("Message to The Cartographer").fill("And south?");
    await trial.getByRole("button", { name: "Send" }).click();
    await trial.getByRole("button", { name: "Ask again" }).click();
    await said.getByText(/I draw new maps.*And south\?/).waitFor();
    await eventually(() => said.getByRole("article").count()).toBe(5);
    await trial.getByRole("button", { name: "Start over" }).click();
    await eventually(() => said.getByRole("article").count()).toBe(1);
    await trial.getByRole("button", { name: "Close" }).click();
    for (const name of ["GREETING.md", "STARTERS.md"]) {
      await click(name);
      await click("Remove file");
    }
  });

  it("publishes a folder without a warning", async () => {
    const { page } = ursula;
    await click("Publish");
    await page.waitForURL(/\/soul\/\d+$/);
    await page.getByRole("tab", { name: "RULES.md" }).click();
    await page.getByText("Never guess.").waitFor();
  });
});

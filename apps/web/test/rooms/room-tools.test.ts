import { beforeAll, expect, it } from "vitest";
import type { Visitor } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";
import { eventually, isLive, replied, say, visit } from "../steps.ts";
import { attach, turn } from "./composer-steps.ts";
import { button, press } from "./message-steps.ts";
import { lock, section, sectionOf, side } from "./panel-steps.ts";

/** A BMP of one white pixel. Browsers can read a BMP, but the hub refuses it. */
const BMP = Buffer.from(
  "424d3a00000000000000360000002800000001000000010000000100180000000000" +
    "04000000130b0000130b00000000000000000000ffffff00",
  "hex",
);
const look = { permissions: ["clipboard-read", "clipboard-write"] };
const visitors = { ada: { as: "vip", look }, guest: { as: "guest" } } as const;

describeBrowser("tools of a room", { visitors }, (hub, { ada, guest }) => {
  let room: string;

  beforeAll(async () => {
    await visit(ada.page, "/chat/1/tools");
    room = ada.page.url();
    await isLive(ada.page);
    await visit(guest.page, room);
    await isLive(guest.page);
  });

  const input = ({ page }: Visitor) => page.getByLabel(/^Message to/);
  const answered = (count: number) => replied(ada.page, count);
  const lastRequest = () => hub.model.requests.at(-1);
  const newest = () => lastRequest()?.messages.at(-1);

  /** Creates a PNG with the browser's own encoder. Noise makes the file large. */
  const picture = ({ page }: Visitor, size: number, noisy = false) =>
    page.evaluate(
      ([edge, isNoisy]) => {
        const canvas = document.createElement("canvas");
        canvas.width = edge;
        canvas.height = edge;
        const context = canvas.getContext("2d");
        const pixels = context?.createImageData(edge, edge);
        for (let at = 0; pixels && at < pixels.data.length; at += 65_536) {
          const part = new Uint8ClampedArray(Math.min(65_536, pixels.data.length - at));
          if (isNoisy) crypto.getRandomValues(part);
          pixels.data.set(part, at);
        }
        for (let at = 3; pixels && at < pixels.data.length; at += 4) pixels.data[at] = 255;
        if (pixels) context?.putImageData(pixels, 0, 0);
        return canvas.toDataURL("image/png");
      },
      [size, noisy] as const,
    );
  const give = (visitor: Visitor, by: "paste" | "drop", dataUri: string, name: string) =>
    visitor.page.evaluate(
      ([how, uri, as]) => {
        const [, base64 = ""] = uri.split(",");
        const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], as, { type: "image/png" }));
        const target = document.querySelector(".composer textarea");
        const about = { bubbles: true, cancelable: true };
        target?.dispatchEvent(
          how === "paste"
            ? new ClipboardEvent("paste", { ...about, clipboardData: data })
            : new DragEvent("drop", { ...about, dataTransfer: data }),
        );
      },
      [by, dataUri, name] as const,
    );

  it("sends a pasted image, and keeps it in the sender's tab", async () => {
    const { page } = ada;
    const dataUri = await picture(ada, 40);
    await give(ada, "paste", dataUri, "roof.png");
    await page.getByRole("img", { name: "To be sent: roof.png" }).waitFor();
    await input(ada).fill("What is this?");
    const goOn = hub.model.holdNext();
    await page.keyboard.press("Enter");
    await page.locator(".line__image").waitFor();
    await eventually(() => page.locator(".image-preview").count()).toBe(0);
    await eventually(async () => newest()?.images).toEqual([dataUri]);
    await guest.page.locator(".line__said").getByText("What is this?", { exact: true }).waitFor();
    await guest.page.getByText("a picture (only the soul saw it)").waitFor();
    await eventually(() => guest.page.locator(".line__image").count()).toBe(0);
    goOn();
    await answered(1);
    const images = () =>
      page.locator(".line__image").evaluateAll((all) => all.map((one) => one.getAttribute("src")));
    await eventually(images).toEqual([dataUri]);
    // It has its place before it is decoded.
    const size = await page
      .locator(".line__image")
      .evaluate((one) => [one.getAttribute("width"), one.getAttribute("height")]);
    expect(size).toEqual(["40", "40"]);
    await eventually(() => page.locator(".line__said").allTextContents()).toEqual([
      "What is this?",
    ]);
    // Another room and back: the tab still has it. Another tab never had it.
    const room = page.url();
    await page.getByRole("link", { name: /^About / }).click();
    await page.goBack();
    await eventually(images).toEqual([dataUri]);
    const other = await ada.context.newPage();
    await other.goto(room);
    await other.getByText("a picture (only the soul saw it)").waitFor();
    await other.close();
  });

  it("sends an image without text by drop or file button, and can remove it", async () => {
    const { page } = ada;
    const dataUri = await picture(ada, 20);
    await give(ada, "drop", dataUri, "dropped.png");
    await page.getByRole("img", { name: "To be sent: dropped.png" }).waitFor();
    await page.getByRole("button", { name: "Remove the image" }).click();
    await eventually(() => page.locator(".image-preview").count()).toBe(0);
    const [, base64 = ""] = dataUri.split(",");
    const buffer = Buffer.from(base64, "base64");
    // The image type is detected from the content, not from the file name.
    await attach(page, { name: "chosen.jpg", mimeType: "image/jpeg", buffer });
    await page.getByRole("img", { name: "To be sent: chosen.jpg" }).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await answered(2);
    expect(newest()?.images).toEqual([dataUri]);
    await eventually(() => guest.page.getByText("a picture (only the soul saw it)").count()).toBe(
      2,
    );
  });

  it("resizes or converts an image that the hub refuses, and refuses a file that is no image", async () => {
    const { page } = ada;
    const huge = await picture(ada, 2_200, true);
    expect(huge.length).toBeGreaterThan(5_100_000);
    await give(ada, "paste", huge, "huge.png");
    await page.getByText(/Resized from 2200 × 2200 to/).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await answered(3);
    const [sent = ""] = newest()?.images ?? [];
    expect(sent).toMatch(/^data:image\/jpeg;base64,/);
    expect(Buffer.from(sent.split(",")[1] ?? "", "base64").length).toBeLessThanOrEqual(3_750_000);

    await attach(page, { name: "dot.bmp", mimeType: "image/bmp", buffer: BMP });
    await page.getByText("Converted to JPEG.").waitFor();
    await page.getByRole("button", { name: "Remove the image" }).click();

    const buffer = Buffer.from("MZ this is a program");
    await attach(page, { name: "photo.png", mimeType: "image/png", buffer });
    await page.getByText("This file can't be sent.").waitFor();
    await eventually(() =>
      page.getByRole("button", { name: "Send", exact: true }).isDisabled(),
    ).toBe(true);
    await page.getByRole("button", { name: "Close" }).click();
  });

  it("explains to a guest which plan includes images and deep think", async () => {
    const { page } = guest;
    await page.getByRole("button", { name: "Send an image: not in your plan" }).click();
    await page
      .getByRole("dialog", { name: "Images" })
      .getByText(/vip or pro pass/)
      .waitFor();
    await page.keyboard.press("Escape");
    await eventually(() => page.getByRole("dialog").count()).toBe(0);
    await turn(page, "Deep think");
    await page
      .getByRole("dialog", { name: "Deep think" })
      .getByText(/vip or pro pass/)
      .waitFor();
    await page.getByRole("button", { name: "Got it" }).click();
  });

  it("charges deep think at the shown cost", async () => {
    const { page } = ada;
    const today = await section(side(page), "Messages today");
    const left = async () => Number((await today.locator("strong").textContent()) ?? "");
    const before = await left();
    await turn(page, "Deep think");
    await page.getByText(`Uses 5 of ${before} messages left today`).waitFor();
    await say(page, "Why is the night dark?");
    await answered(4);
    expect(lastRequest()?.reasoningEffort).toBe("high");
    await eventually(left).toBe(before - 5);
    await button(page, "Deep think: turn off").click();
    await eventually(() => input(ada).evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it("copies a reply and its code blocks", async () => {
    const { page } = ada;
    await say(page, "Show me code:\n```js\nconst a = 1;\n```\nplease");
    await answered(5);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await button(page, "Copy reply").click();
    await eventually(clipboard).toContain("```js");
    // An earlier reply is copied from its menu.
    await press(page, "Why is the night dark?", "Copy");
    await eventually(clipboard).toBe("Why is the night dark?");
    const block = page.locator(".code-block").last();
    await block.getByRole("button", { name: "Copy code" }).click();
    await eventually(clipboard).toBe("const a = 1;\n");
    await eventually(() => block.locator(".code-block__head span").textContent()).toBe("js");
  });

  it("keeps the focus in a code block that is coloured late", async () => {
    const page = await ada.context.newPage();
    const arrived = Promise.withResolvers<void>();
    await page.route("**/assets/highlight-code*.js", async (route) => {
      await arrived.promise;
      await route.continue();
    });
    await page.goto("/chat/1/late-colours");
    await isLive(page);
    await say(page, "Show me code:\n```js\nconst a = 1;\n```\nplease");
    const copy = page.getByRole("button", { name: "Copy code" }).first();
    await copy.focus();
    arrived.resolve();
    await page.locator(".hljs-keyword").first().waitFor();
    expect(await copy.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.close();
  });

  it("lets the owner stop another participant's reply with Escape", async () => {
    const goOn = hub.model.holdNext();
    await say(guest.page, "Tell me everything.");
    await ada.page.getByText("Tell me everything.").waitFor();
    await input(ada).press("Escape");
    await guest.page.getByText("The reply was stopped.").waitFor();
    goOn();
    // Every participant sees that the reply was stopped.
    await ada.page.getByText("The reply was stopped.").waitFor();
    await eventually(() => guest.page.getByRole("button", { name: "Stop the reply" }).count()).toBe(
      0,
    );
  });

  it("lets the owner edit and forget the summary", async () => {
    const { page } = ada;
    const memory = await section(side(page), "What the soul remembers");
    await memory.getByRole("button", { name: "Write a summary" }).click();
    const text = memory.getByLabel("What the soul remembers of this room");
    await text.fill("🦉".repeat(2_001));
    await memory.getByText("2,001 of 2,000 characters").waitFor();
    await eventually(() => memory.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await text.fill("Ada watches the night sky.");
    await memory.getByRole("button", { name: "Save" }).click();
    await memory.getByText("Ada watches the night sky.").waitFor();
    await say(page, "Do you remember me?");
    await answered(6);
    expect(JSON.stringify(lastRequest()?.body)).toContain("Ada watches the night sky.");

    await memory.getByRole("button", { name: "Edit" }).click();
    await text.fill("Mine.");
    await changeElsewhere(ada, "Theirs.");
    await memory.getByRole("button", { name: "Save" }).click();
    await memory.getByText("The summary changed while you were editing.").waitFor();
    await memory.getByText("Theirs.").waitFor();
    await memory.getByRole("button", { name: "Replace it with mine" }).click();
    await memory.getByText("Mine.", { exact: true }).waitFor();

    await memory.getByRole("button", { name: "Forget…" }).click();
    await memory.getByRole("button", { name: "Forget it" }).click();
    await memory.getByText("Only the newest messages so far.").waitFor();
    await eventually(() => guest.page.getByText("What the soul remembers").count()).toBe(0);
  });

  it("shows after a reload that the room is private and owned", async () => {
    const { page } = ada;
    const rights = () => section(side(page), "Who may enter");
    await button(await rights(), "Make this room private…").click();
    await button(page, "Yes, with my next message").click();
    await say(page, "Just us.");
    await lock(page).waitFor();
    await guest.page.getByRole("heading", { name: "This conversation is private" }).waitFor();
    await page.reload();
    await isLive(page);
    await lock(page).waitFor();
    await (await rights()).getByText("only you and people with an invite can open").waitFor();
    await sectionOf(side(page), "What the soul remembers").waitFor();
  });

  it("shows a guest their own name before the first message", async () => {
    await guest.page.goto("/chat/1/another");
    await isLive(guest.page);
    await guest.page.locator(".room__aside").getByText("guest, you").waitFor();
  });
});

/** Changes the room's summary as a second tab of the same account would. */
const changeElsewhere = ({ page }: Visitor, summary: string) =>
  page.evaluate(async (text) => {
    const response = await fetch("/trpc/chat.correctSummary", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ soul_id: 1, session_token: "tools", summary: text }),
    });
    if (!response.ok) throw new Error(await response.text());
  }, summary);

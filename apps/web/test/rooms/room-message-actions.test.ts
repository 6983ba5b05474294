import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { eventually, isLive, passHolder, phone, replies, say, visit } from "../steps.ts";
import { attach } from "./composer-steps.ts";
import {
  ask,
  button,
  closeMenu,
  entry,
  line,
  menuNamed,
  openMenu,
  press,
  repeating,
  startRoom,
} from "./message-steps.ts";

/** The smallest side of a button on a touch screen, in px. */
const TOUCH_PX = 40;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const visitors = {
  ada: { as: "vip" },
  bob: { as: "vip" },
  grace: { as: "member", look: phone },
  guest: { as: "guest", look: phone },
} as const;
const model = { reply: repeating };

describeBrowser("actions on messages", { visitors, model }, (hub, { ada, bob, grace, guest }) => {
  describe("removing", () => {
    it("asks first, then leaves “[removed]” without actions", async () => {
      await startRoom("remove", ada, grace, bob);
      await ask(ada, "Hello");
      await ask(grace, "My address");
      // Others can neither edit nor remove it.
      const foreign = await openMenu(bob.page, /My address$/);
      await entry(foreign, "Report message").waitFor();
      for (const tool of ["Edit message", "Remove message"]) {
        await eventually(() => entry(foreign, tool).count()).toBe(0);
      }
      await closeMenu(bob.page, foreign);
      await press(grace.page, /My address$/, "Remove message");
      const dialog = grace.page.getByRole("dialog", { name: "Remove this message?" });
      await button(dialog, "Cancel").tap();
      await eventually(() => dialog.count()).toBe(0);
      await press(grace.page, /My address$/, "Remove message");
      // The owner has the menu open, which closes once the message is removed.
      const owners = await openMenu(ada.page, /My address$/);
      await button(dialog, "Remove it").tap();
      await owners.waitFor({ state: "detached" });
      const focused = () =>
        grace.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
      await eventually(focused).toBe("Conversation");
      for (const { page } of [ada, grace, bob]) {
        const gone = page.locator(".line[data-removed=true]");
        await gone.getByText("[removed]", { exact: true }).waitFor();
        await eventually(() => gone.getByRole("button").count()).toBe(0);
        await eventually(() => page.getByText("My address", { exact: true }).count()).toBe(0);
      }
    });

    it("is the owner's right on every message, also on replies", async () => {
      await startRoom("remove-any", ada, grace);
      await ask(ada, "Hello");
      await ask(grace, "Mine");
      for (const text of ["You said: Mine", /Mine$/]) {
        await press(ada.page, text, "Remove message");
        await button(ada.page, "Remove it").click();
        await line(grace.page, text).waitFor({ state: "detached" });
      }
      await eventually(() => grace.page.getByText("[removed]", { exact: true }).count()).toBe(2);
    });

    it("shows on messages that were loaded later, too", async () => {
      const key = await passHolder(hub, "linus", "pro");
      const room = { soul_id: 1, session_token: "old-messages" };
      const { question_id } = await hub.post("/api/chat", { ...room, content: "The secret" }, key);
      for (let count = 2; count <= 103; count++) {
        await hub.post("/api/chat", { ...room, content: `Question ${count}` }, key);
      }
      await startRoom("old-messages", bob);
      const top = () => bob.page.locator(".room__scroll").evaluate((box) => box.scrollTo(0, 0));
      // The room's title is its first message, too.
      const conversation = bob.page.getByRole("region", { name: "Conversation" });
      const isLoaded = async () => {
        await top();
        return conversation.getByText("The secret", { exact: true }).count();
      };
      await eventually(isLoaded).toBe(1);
      await hub.put("/api/message", { ...room, id: question_id, content: "No secret" }, key);
      await conversation.getByText("No secret", { exact: true }).waitFor();
      await eventually(() => bob.page.getByText("The secret", { exact: true }).count()).toBe(0);
    });
  });

  describe("reacting", () => {
    const chip = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

    it("adds and takes back emojis, with names, for everyone", async () => {
      await startRoom("react", ada, grace);
      await ask(ada, "Hello");
      await press(grace.page, "You said: Hello", "React with 👍");
      await chip(ada.page, "👍 1: grace").click();
      for (const { page } of [ada, grace]) {
        const both = chip(page, "👍 2: grace, ada");
        await both.waitFor();
        await eventually(() => both.getAttribute("title")).toBe("grace, ada");
        await eventually(() => both.getAttribute("aria-pressed")).toBe("true");
      }
      await chip(grace.page, "👍 2: grace, ada").tap();
      await chip(ada.page, "👍 1: ada").click();
      for (const { page } of [ada, grace]) await eventually(() => chip(page, /👍/).count()).toBe(0);
    });

    it("takes any emoji, and refuses a word", async () => {
      await startRoom("react-any", ada, guest);
      await ask(ada, "Hello");
      await press(guest.page, "You said: Hello", "React with another emoji");
      await guest.page.getByLabel("Emoji").fill("🦉");
      await guest.page.getByLabel("Emoji").press("Enter");
      await chip(ada.page, /^🦉 1: Anonymous #/).waitFor();
      await button(ada.page, "Add a reaction").click();
      await entry(menuNamed(ada.page, "Message actions"), "React with another emoji").click();
      await ada.page.getByLabel("Emoji").fill("owl");
      await button(ada.page, "React").click();
      await ada.page.getByText("Must be one emoji.").waitFor();
      await eventually(() => ada.page.locator("button.reaction[aria-pressed]").count()).toBe(1);
    });

    it("is not offered to those who may not talk", async () => {
      await startRoom("react-talk", ada, guest);
      await ask(ada, "Hello");
      await line(guest.page, "You said: Hello").waitFor();
      await ada.page.evaluate(async () => {
        const body = JSON.stringify({ soul_id: 1, session_token: "react-talk", talk: "members" });
        const headers = { "content-type": "application/json" };
        await fetch("/trpc/rooms.set", { method: "POST", headers, body });
      });
      const menu = await openMenu(guest.page, "You said: Hello");
      await entry(menu, "Report message").waitFor();
      await eventually(() => entry(menu, "React with").count()).toBe(0);
      await closeMenu(guest.page, menu);
    });
  });

  it("has buttons that fit a finger", async () => {
    await startRoom("touch", grace);
    await ask(grace, "Hello");
    const fits = async (...controls: Locator[]) => {
      for (const found of controls) {
        const box = await found.boundingBox();
        expect(Math.min(box?.height ?? 0, box?.width ?? 0)).toBeGreaterThanOrEqual(TOUCH_PX);
      }
    };
    const overflow = () =>
      grace.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    const answer = grace.page.locator(".line__foot button");
    const more = button(grace.page, "Message actions").last();
    await fits(answer.first(), answer.last(), more, button(grace.page, "Room menu"));
    // The button's sign covers no word of the reply.
    const place = await more.locator("svg").boundingBox();
    const text = await replies(grace.page).locator(".line__reply").boundingBox();
    expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThanOrEqual((text?.y ?? 0) + 1);
    const menu = await openMenu(grace.page, "You said: Hello");
    await fits(entry(menu, "React with 👍"), entry(menu, "Copy reply"));
    expect(await overflow()).toBe(0);
    await closeMenu(grace.page, menu);
  });

  it("says what made each reply, and where the soul's version changed", async () => {
    const key = await passHolder(hub, "barbara", "vip");
    const { id } = await hub.post("/api/souls", { title: "Changing", content: "One." }, key);
    await visit(ada.page, `/chat/${id}/versions`);
    await isLive(ada.page);
    await ask(ada, "Hello");
    const made = ada.page.getByRole("dialog", { name: "How this was made" });
    await press(ada.page, "You said: Hello", "How this was made");
    await made.getByText(/^Version 1 of the soul, by .*test\..* \d+ of the reply\./).waitFor();
    await button(made, "Close").click();
    await made.waitFor({ state: "detached" });
    await hub.put(`/api/soul/${id}`, { content: "Two." }, key);
    await ask(ada, "And now?");
    await ada.page.getByText("The soul answers as version 2 from here").waitFor();
    await press(ada.page, "You said: And now?", "How this was made");
    await made.getByText(/^Version 2 .* contained 2 earlier messages/).waitFor();
    await ada.page.keyboard.press("Escape");
    await made.waitFor({ state: "detached" });
    await ask(ada, "Still?");
    await eventually(() => ada.page.locator(".room__version").count()).toBe(1);
  });

  it("asks for the image of a question again, or says why it can't", async () => {
    await startRoom("image", bob);
    const file = { name: "sky.png", mimeType: "image/png", buffer: PNG };
    await attach(bob.page, file);
    await say(bob.page, "What is it?");
    const again = button(bob.page, "Answer again with the image…");
    await again.waitFor();
    const chooser = bob.page.waitForEvent("filechooser");
    await again.click();
    await (await chooser).setFiles(file);
    await bob.page.getByText("2/2", { exact: true }).waitFor();
    expect(hub.model.requests.at(-1)?.messages.at(-1)?.images).toHaveLength(1);

    await startRoom("image", grace);
    await grace.page.getByText("2/2", { exact: true }).waitFor();
    await eventually(() => grace.page.getByRole("button", { name: /^Answer again/ }).count()).toBe(
      0,
    );
    // A typed mark counts as one. The owner of this room has no plan with images.
    await startRoom("no-image", grace);
    await say(grace.page, "Typed\n\n[image]");
    await grace.page.getByText("Answering again needs the image.").waitFor();
    await eventually(() => grace.page.getByRole("button", { name: /^Answer again/ }).count()).toBe(
      0,
    );
  });
});

import type { CDPSession, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { Visitor } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";
import { enterRoom, eventually, phone, replied, replies, say } from "../steps.ts";
import { openOptions } from "./composer-steps.ts";
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
} from "./message-steps.ts";

/** Longer than a long press, in ms. */
const LONGER_MS = 600;
/** Further than a finger moves that lies still, in px. */
const FURTHER_PX = 40;
const visitors = {
  ada: { as: "vip" },
  grace: { as: "vip", look: phone },
} as const;
const model = { reply: repeating };

/** Everything beyond words is in menus, which a mouse, a finger and keys open. */
describeBrowser("the menus of a room", { visitors, model }, (hub, { ada, grace }) => {
  const menu = (page: Page) => menuNamed(page, "Message actions");
  const focused = (page: Page) =>
    page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

  describe("of a message, under a finger", () => {
    let touch: CDPSession;

    beforeAll(async () => {
      await enterRoom(grace, "finger");
      await ask(grace, "Hello");
      await ask(grace, "And now?");
      touch = await grace.context.newCDPSession(grace.page);
    });

    const put = (type: "touchStart" | "touchMove", x: number, y: number) =>
      touch.send("Input.dispatchTouchEvent", { type, touchPoints: [{ x, y }] });
    const lift = () =>
      touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    /** The middle of a reply's words. */
    const middleOf = async (text: string) => {
      const words = line(grace.page, text).first().locator(".line__reply p");
      const box = await words.boundingBox();
      return { x: (box?.x ?? 0) + 40, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
    };

    it("is a sheet, which a long press on the line opens", async () => {
      const { page } = grace;
      const { x, y } = await middleOf("You said: Hello");
      await put("touchStart", x, y);
      await menu(page).waitFor();
      await lift();
      expect(await menu(page).getAttribute("role")).toBe("dialog");
      await entry(menu(page), "React with 👍").tap();
      await line(page, "You said: Hello").getByRole("button", { name: "👍 1: grace" }).waitFor();
      expect(await menu(page).count()).toBe(0);
    });

    it("stays closed under a finger that scrolls, or rests on a button", async () => {
      const { page } = grace;
      const { x, y } = await middleOf("You said: Hello");
      const copy = await button(page, "Copy reply").boundingBox();
      const starts = [
        { x, y, by: FURTHER_PX },
        { x: (copy?.x ?? 0) + 10, y: (copy?.y ?? 0) + 10, by: 0 },
      ];
      for (const { x, y, by } of starts) {
        await put("touchStart", x, y);
        if (by > 0) await put("touchMove", x, y - by);
        // A timer of the page that begins later and runs longer ends after that of a long press.
        await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), LONGER_MS);
        await lift();
        expect(await menu(page).count()).toBe(0);
      }
    });
  });

  it("of a message opens by its keys, and gives the focus back", async () => {
    const page = await enterRoom(ada, "keys");
    await ask(ada, "Hello");
    for (const key of ["Shift+F10", "ContextMenu"]) {
      await button(page, "Copy reply").press(key);
      await menu(page).waitFor();
      await page.keyboard.press("ArrowDown");
      await eventually(() =>
        menu(page).evaluate((one) => one.contains(document.activeElement)),
      ).toBe(true);
      await closeMenu(page, menu(page));
      await eventually(() => focused(page)).toBe("Message actions");
      const isLast = page.locator(".line:focus-within");
      expect(await isLast.getAttribute("data-last")).toBe("true");
    }
  });

  it.each([
    ["mouse", ada],
    ["phone", grace],
  ])("close by Escape, which neither stops a reply nor closes an editor: %s", async (name, who) => {
    const { page } = who as Visitor;
    await enterRoom(who as Visitor, `escape-${name}`);
    await ask(who as Visitor, "First");
    await press(page, /First$/, "Edit message");
    const editor = page.getByLabel("Text of the message");
    await editor.fill("My draft");
    const finish = hub.model.holdNext();
    await say(page, "Second");
    await button(page, "Stop the reply").waitFor();
    await closeMenu(page, await openOptions(page));
    await eventually(() => focused(page)).toBe("More options");
    const message = page.locator(".line", { has: editor });
    await closeMenu(page, await openMenu(page, message));
    expect(await editor.inputValue()).toBe("My draft");
    expect(await button(page, "Stop the reply").count()).toBe(1);
    finish();
    await replied(page, 2);
    await replies(page).filter({ hasText: "You said: Second" }).waitFor();
  });

  it("are found by the command palette, by older names, too", async () => {
    const page = await enterRoom(ada, "palette");
    await ask(ada, "Hello");
    const palette = page.getByRole("dialog");
    const words = page.getByLabel("Find a page, a soul or a room");
    await page.keyboard.press("Control+k");
    for (const [query, name] of [
      ["Deep think", "Deep think"],
      ["People and rights", "Who may enter"],
      ["Copy link", "Invite into this room"],
      ["Export", "Export"],
      ["Rename", "Rename"],
    ] as const) {
      await words.fill(query);
      await palette.getByRole("button", { name }).waitFor();
    }
    await words.fill("People and rights");
    await palette.getByRole("button", { name: "Who may enter" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByLabel("Who may write").waitFor();
  });
});

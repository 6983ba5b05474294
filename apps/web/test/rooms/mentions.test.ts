import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { eventually, isLive, phone } from "../steps.ts";
import { describeSharedRoom } from "./shared-room.ts";

/** The smallest height of an entry on a touch screen, in px. */
const TOUCH_PX = 44;

describeSharedRoom("the completion of a mention", {}, (shared) => {
  beforeAll(async () => {
    await shared.open("mentions", "both", shared.ada, shared.grace, shared.guest);
  });

  const field = (page: Page) => page.getByLabel(/^Message to/);
  const list = (page: Page) => page.getByRole("listbox", { name: "Mention" });
  const names = (page: Page) => list(page).locator("[role=option] .item__words").allTextContents();
  const text = (page: Page) => field(page).inputValue();
  /** Types into the empty field. */
  const type = async (page: Page, typed: string) => {
    await field(page).fill("");
    await field(page).pressSequentially(typed);
  };
  /** The entry that `aria-activedescendant` names and that is marked as selected. */
  const active = async (page: Page) => {
    const id = await field(page).getAttribute("aria-activedescendant");
    const option = list(page).getByRole("option", { selected: true });
    expect(await option.getAttribute("id")).toBe(id);
    return option.locator("bdi").textContent();
  };

  it("offers the souls and the accounts of the room, in this order", async () => {
    const { page } = shared.ada;
    await eventually(() => page.locator(".people .people__one").count()).toBe(3);
    await type(page, "Hello @");
    // A guest's label is no name that a mention could contain.
    await eventually(() => names(page)).toEqual(["Orla @orla", "Ben @ben", "grace person"]);
    await type(page, "@GR");
    await eventually(() => names(page)).toHaveLength(1);
    await type(page, "@zzz");
    await list(page).waitFor({ state: "detached" });
    await type(page, "ada@");
    expect(await list(page).count()).toBe(0);
  });

  it("works with the keyboard, and the focus stays in the field", async () => {
    const { page } = shared.ada;
    await type(page, "@");
    await eventually(() => active(page)).toBe("Orla");
    await page.keyboard.press("ArrowDown");
    await eventually(() => active(page)).toBe("Ben");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    await eventually(() => active(page)).toBe("grace");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await eventually(() => text(page)).toBe("@ben ");
    await list(page).waitFor({ state: "detached" });
    await page.keyboard.type("and @or");
    await list(page).waitFor();
    await page.keyboard.press("Tab");
    await eventually(() => text(page)).toBe("@ben and @orla ");
    expect(await field(page).evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await field(page).getAttribute("aria-activedescendant")).toBeNull();
    // A mention in the middle of a text is completed in its place.
    await page.keyboard.press("Home");
    await page.keyboard.type("@gr");
    await list(page).waitFor();
    await page.keyboard.press("Enter");
    await eventually(() => text(page)).toBe("@grace @ben and @orla ");
    await page.keyboard.type("!");
    await eventually(() => text(page)).toBe("@grace !@ben and @orla ");
  });

  it("closes with Escape, keeps the text, and opens for the next mention", async () => {
    const { page } = shared.ada;
    await type(page, "@be");
    await list(page).waitFor();
    await page.keyboard.press("Escape");
    await list(page).waitFor({ state: "detached" });
    expect(await text(page)).toBe("@be");
    await page.keyboard.type("n");
    expect(await list(page).count()).toBe(0);
    await page.keyboard.type(" @");
    await list(page).waitFor();
    expect(await page.locator(".line").count()).toBe(2);
  });

  it("leaves the keys to an input method", async () => {
    const { page, context } = shared.ada;
    await type(page, "@");
    await list(page).waitFor();
    const keys = await context.newCDPSession(page);
    const composed = { text: "o", selectionStart: 1, selectionEnd: 1 };
    await keys.send("Input.imeSetComposition", composed);
    await field(page).dispatchEvent("keydown", { key: "Enter", isComposing: true, bubbles: true });
    await keys.send("Input.insertText", { text: "o" });
    await eventually(() => text(page)).toBe("@o");
    await page.keyboard.press("Enter");
    await eventually(() => text(page)).toBe("@orla ");
  });

  it("does not stand in the way of a mention that is typed out", async () => {
    const { page } = shared.ada;
    await type(page, "@ben");
    await page.keyboard.press("Enter");
    await page.locator(".line").filter({ hasText: "Ben answers this." }).waitFor();
  });

  it("works by touch on a phone", async () => {
    const { page, context } = await shared.hub.visitor(phone);
    await page.goto(`/chat/${shared.orla}/mentions`);
    await isLive(page);
    await field(page).tap();
    await field(page).pressSequentially("@");
    const option = list(page).getByRole("option").nth(1);
    const box = await option.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(TOUCH_PX);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    await option.tap();
    await eventually(() => text(page)).toBe("@ben ");
    expect(await field(page).evaluate((one) => one === document.activeElement)).toBe(true);
    await context.close();
  });
});

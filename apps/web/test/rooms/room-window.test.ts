import { beforeAll, expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { isLive, visit } from "../steps.ts";
import { button, openMenu, press } from "./message-steps.ts";

const QUESTIONS = 20;
const visitors = { ada: { as: "vip" } } as const;

/** Only the conversation scrolls. The window shows the whole room, whatever happens in it. */
describeBrowser("a room of 40 messages", { visitors }, (hub, { ada }) => {
  const room = { soul_id: 1, session_token: "window" };

  beforeAll(async () => {
    for (let nth = 1; nth <= QUESTIONS; nth++) {
      await hub.post("/api/chat", { ...room, content: `Question ${nth}.` }, ada.key);
    }
    await visit(ada.page, `/chat/1/${room.session_token}`);
    await isLive(ada.page);
    await ada.page.locator(".line").last().waitFor();
  });

  const focusOf = (selector: string) =>
    ada.page.locator(selector).evaluate((element) => (element as HTMLElement).focus());
  const open = (tool: string) => async () => {
    await press(ada.page, `Question ${QUESTIONS}.`, tool);
    await ada.page.locator(".line__panel, .line__editor").waitFor();
  };

  const acts: Record<string, () => Promise<unknown>> = {
    "a wheel over the bar": () => wheelOver(".room-bar"),
    "a wheel over the side panel": () => wheelOver(".room__aside"),
    "a wheel over the composer": () => wheelOver(".composer"),
    "a wheel over the conversation": () => wheelOver(".room__scroll"),
    "Space without focus": () => pressBare("Space"),
    "End without focus": () => pressBare("End"),
    "End in the conversation": async () => {
      await focusOf(".room__scroll");
      await ada.page.keyboard.press("End");
    },
    "focus on the last action": () =>
      ada.page
        .locator(".room__lines")
        .getByRole("button")
        .last()
        .evaluate((element) => element.focus()),
    "a scroll to each element of the last message": () =>
      ada.page
        .locator(".line")
        .last()
        .evaluate((line) => {
          for (const element of line.querySelectorAll("*")) element.scrollIntoView();
        }),
    "an open reaction panel": open("React with another emoji"),
    "an open editor": open("Edit message"),
    "the menu of the last message": () => openMenu(ada.page, ada.page.locator(".line").last()),
    "the removal of a message": async () => {
      await press(ada.page, "Question 19.", "Remove message");
      await button(ada.page, "Remove it").click();
      await ada.page.locator(".line[data-removed=true]").waitFor();
    },
  };

  async function wheelOver(selector: string) {
    await ada.page.locator(selector).hover();
    await ada.page.mouse.wheel(0, 3_000);
  }

  async function pressBare(key: string) {
    await ada.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await ada.page.keyboard.press(key);
  }

  it.each(Object.keys(acts))("fills the window exactly after %s", async (name) => {
    await acts[name]?.();
    const frames = () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    await ada.page.evaluate(frames);
    const excess = await ada.page.evaluate(() => ({
      height: document.documentElement.scrollHeight - innerHeight,
      scrolled: scrollY,
    }));
    expect(excess).toEqual({ height: 0, scrolled: 0 });
    await ada.page.keyboard.press("Escape");
  });
});

import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { signIn } from "../sign-in.ts";
import { isLive, phone, visit } from "../steps.ts";

const QUESTIONS = 20;
/** How far the middles of controls of one row may be from each other, in px. */
const ROW_PX = 4;
const wide = { viewport: { width: 1440, height: 900 } } as const;
const visitors = {
  ada: { as: "vip", look: wide },
  guest: { as: "guest", look: wide },
  guestPhone: { as: "guest", look: phone },
} as const;

/** The controls that a person sees in a part of a page, by their names. */
const seen = (page: Page, part: string) =>
  page.evaluate((selector) => {
    const kinds = "a[href], button, input, select, textarea, summary, [role=button], [role=link]";
    /** What the windows around an element leave of it, in px. */
    const isInWindow = (element: Element) => {
      let { left, right, top, bottom } = element.getBoundingClientRect();
      const cut = (box: Pick<DOMRect, "left" | "right" | "top" | "bottom">) => {
        left = Math.max(left, box.left);
        right = Math.min(right, box.right);
        top = Math.max(top, box.top);
        bottom = Math.min(bottom, box.bottom);
      };
      cut({ left: 0, right: innerWidth, top: 0, bottom: innerHeight });
      for (let at = element.parentElement; at; at = at.parentElement) {
        if (getComputedStyle(at).overflow !== "visible") cut(at.getBoundingClientRect());
      }
      return right - left > 1 && bottom - top > 1;
    };
    return [...document.querySelectorAll(selector)]
      .flatMap((one) => [...one.querySelectorAll<HTMLElement>(kinds)])
      .filter((control) => {
        // A switch is drawn by its label.
        const shown = (control as HTMLInputElement).labels?.[0] ?? control;
        const how = { opacityProperty: true, visibilityProperty: true } as const;
        return shown.checkVisibility(how) && isInWindow(shown);
      })
      .map((one) => one.getAttribute("aria-label") ?? one.textContent?.trim() ?? one.tagName);
  }, part);

/** The number of controls that a person sees at once. Another one needs a reason. */
describeBrowser("the controls of a room", { visitors }, (hub, people) => {
  let phoneOfAda: Page;

  beforeAll(async () => {
    for (let nth = 1; nth <= QUESTIONS; nth++) {
      const said = { soul_id: 1, session_token: "forty", content: `Question ${nth}.` };
      await hub.post("/api/chat", said, people.ada.key);
    }
    phoneOfAda = (await hub.visitor(phone)).page;
    await signIn(phoneOfAda, "ada");
  });

  const pageOf: Record<string, () => Page> = {
    "the owner": () => people.ada.page,
    "the owner on a phone": () => phoneOfAda,
    "a guest": () => people.guest.page,
    "a guest on a phone": () => people.guestPhone.page,
  };
  const enter = async (who: string, room: string) => {
    const page = pageOf[who]?.() as Page;
    await visit(page, `/chat/1/${room}`);
    await isLive(page);
    await page.locator(".line, .room-greeting").last().waitFor();
    // The list of rooms is beside the room, and loads after it.
    if (who === "the owner") await page.locator(".room-row").waitFor();
    await page.mouse.move(0, 0);
    return page;
  };

  it.each([
    ["the owner", { empty: 26, forty: 29 }],
    ["the owner on a phone", { empty: 10, forty: 10 }],
    ["a guest", { empty: 19, forty: 17 }],
    ["a guest on a phone", { empty: 10, forty: 9 }],
  ])("are few for %s, and a reply in the log has none", async (who, most) => {
    for (const [room, limit] of Object.entries(most)) {
      const page = await enter(who, room);
      const controls = await seen(page, "body");
      expect(controls.length, controls.join(", ")).toBeLessThanOrEqual(limit);
      expect(controls.length).toBeGreaterThan(0);
    }
    const page = pageOf[who]?.() as Page;
    expect(await page.locator(".line").count()).toBe(2 * QUESTIONS);
    expect(await seen(page, ".line:not(:last-child)")).toEqual([]);
    expect(await seen(page, ".line:last-child")).toContain("Copy reply");
  });

  it.each(Object.keys(pageOf))("of the composer are four in one row for %s", async (who) => {
    const page = await enter(who, "forty");
    const controls = await seen(page, ".composer");
    expect(controls.length, controls.join(", ")).toBeLessThanOrEqual(4);
    const tops = await page
      .locator(".composer")
      .locator("button, textarea")
      .evaluateAll((all) =>
        all.map((one) => {
          const { top, height } = one.getBoundingClientRect();
          return Math.round(top + height / 2);
        }),
      );
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThanOrEqual(ROW_PX);
  });
});

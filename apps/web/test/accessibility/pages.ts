import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { type ExamplePages, exampleReplies, fillWithExamples } from "../example-content.ts";
import { signIn } from "../sign-in.ts";
import { eventually, isLive, load, say, visitAnew } from "../steps.ts";
import { axeViolations } from "./axe-violations.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;

export const describePages = () =>
  describe.skipIf(!chromium)("accessibility of every page", () => {
    let hub: BrowserHub;
    let pages: ExamplePages;
    let member: Visitor;
    let guest: Visitor;

    beforeAll(async () => {
      hub = await startBrowserHub(chromium ?? "", exampleReplies);
      pages = await fillWithExamples(hub);
      // The content security policy would block the script of axe, which the test injects.
      member = await hub.visitor({ bypassCSP: true, reducedMotion: "reduce" });
      guest = await hub.visitor({ bypassCSP: true, reducedMotion: "reduce" });
      await signIn(member.page, "ada");
    }, LONG_MS);
    afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

    const asMember = [
      ["all souls", "/", "link:The Night Sky Guide"],
      ["a search", "/?q=night", "link:The Night Sky Guide"],
      ["a soul of one file", () => pages.singleSoul, "heading:The Type Detective"],
      ["a soul of several files", () => pages.folderSoul, "tab:STYLE.md"],
      ["a history", () => `${pages.folderSoul}/history`, "combobox:Show"],
      ["editing", () => `${pages.folderSoul}/edit`, "button:Save"],
      ["publishing", "/publish", "button:Publish"],
      ["a profile", "/u/grace", "heading:grace"],
      ["mini apps", "/apps", "link:Trip Plan"],
      ["a mini app", "/apps/trip-plan", "button:Talk to"],
      ["own souls", "/my-souls", "link:Harbour Pilot"],
      ["own chats", "/my-chats", "link:The Type Detective"],
      ["settings", "/settings", "heading:Notifications"],
      ["sign-in and security", "/settings/security", "heading:Sessions"],
      ["keys", "/settings/keys", "heading:Your own provider keys"],
      ["a room", () => pages.room, "table:"],
      ["a room with branches", () => pages.branchedRoom, "button:Earlier branch"],
      ["nothing", "/no/such/page", "heading:This page doesn't exist"],
      ["no such soul", "/soul/999999", "heading:This soul doesn't exist"],
    ] as const;
    const asGuest = [
      ["signing in", "/sign-in", "button:Sign in"],
      ["signing in by wallet", "/sign-in/wallet", "heading:Sign in"],
      ["signing up", "/sign-up", "button:Create account"],
      ["own souls, signed out", "/my-souls", "link:Sign in"],
    ] as const;

    async function open(
      { page }: Visitor,
      path: string | (() => string),
      landmark: string,
      go = load,
    ) {
      const [role, name = ""] = landmark.split(":") as [Parameters<Page["getByRole"]>[0], string];
      // The window is wide, because a room on a phone hides the account menu.
      await page.setViewportSize({ width: 1440, height: 900 });
      const address = typeof path === "string" ? path : path();
      await go(page, address);
      await page
        .getByRole(role, name ? { name } : {})
        .first()
        .waitFor();
      // The account menu and the content behind skeletons load last, so the test waits for them.
      if (page === member.page) await page.getByRole("button", { name: "Your account" }).waitFor();
      await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
      if (address.startsWith("/chat/")) await isLive(page);
      await page.waitForLoadState("networkidle");
    }

    it.each(asMember)(
      "for a member: %s",
      async (_, path, landmark) => {
        await open(member, path, landmark, visitAnew);
        expect(await axeViolations(member.page)).toEqual([]);
      },
      LONG_MS,
    );

    it.each(asGuest)(
      "for a guest: %s",
      async (_, path, landmark) => {
        await open(guest, path, landmark, visitAnew);
        expect(await axeViolations(guest.page)).toEqual([]);
      },
      LONG_MS,
    );

    /**
     * Tabs through the page. Returns the elements without a visible focus and those never reached.
     */
    async function tabThrough(page: Page) {
      // A mark in the document would change what React and the Markdown compare.
      const reached = await page.evaluateHandle(() => new Set<Element>());
      await page.evaluate(() => {
        document.body.tabIndex = -1;
        document.body.focus();
        document.body.removeAttribute("tabindex");
      });
      let first: string | undefined;
      const unfocused: string[] = [];
      for (;;) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate((reached) => {
          const element = document.activeElement;
          if (!element || element === document.body || reached.has(element)) return;
          reached.add(element);
          const appearance = () => {
            const drawn: string[] = [];
            // The focus ring may be drawn around a parent: a card or the composer.
            for (let at: Element | null = element; at && drawn.length < 5; at = at.parentElement) {
              const { outline, boxShadow, borderColor } = getComputedStyle(at);
              drawn.push(`${outline} ${boxShadow} ${borderColor}`);
            }
            return drawn.join();
          };
          const focused = appearance();
          (element as HTMLElement).blur();
          const isSeen = focused !== appearance();
          (element as HTMLElement).focus();
          const label = element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "";
          return { name: `${element.tagName.toLowerCase()} ${label}`, isSeen };
        }, reached);
        if (!at) break;
        first ??= at.name;
        if (!at.isSeen) unfocused.push(at.name);
      }
      const missed = await page
        .locator(
          ":is(a[href], button, input, select, textarea, summary, [role=button], [role=tab][aria-selected=true], [role=link]):visible",
        )
        .evaluateAll(
          (elements, reached) =>
            elements
              .filter((element) => !reached.has(element))
              .filter((element) => !element.matches(":disabled, [role=tab][aria-selected=false]"))
              // The Tab key reaches only the chosen radio button of a group.
              .filter((element) => !element.matches("[type=radio]:not(:checked)"))
              .map((element) => element.outerHTML.slice(0, 160)),
          reached,
        );
      return { first, unfocused, missed };
    }

    it.each([
      ["all souls", "/", "link:The Night Sky Guide"],
      // The owner's buttons load last. Buttons that appear above the focus would be missed.
      ["a soul", () => pages.folderSoul, "button:Delete"],
      ["a history", () => `${pages.folderSoul}/history`, "button:Edit note"],
      ["a room", () => pages.room, "table:"],
      ["a room with branches", () => pages.branchedRoom, "button:Earlier branch"],
    ] as const)(
      "the Tab key reaches every control, with a visible focus: %s",
      async (_, path, landmark) => {
        await open(member, path, landmark);
        expect(await tabThrough(member.page)).toEqual({
          first: "a Skip to content",
          unfocused: [],
          missed: [],
        });
      },
      LONG_MS,
    );

    it("has a skip link", async () => {
      const { page } = member;
      await open(member, "/apps", "link:Trip Plan");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await eventually(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
    });

    it("announces the messages of others and whole replies, not one's own messages", async () => {
      await open(member, pages.room, "table:");
      await isLive(member.page);
      await open(guest, pages.room, "table:");
      await isLive(guest.page);
      const spoken = ({ page }: Visitor) =>
        page.locator("[aria-live=polite][role=log]").textContent();
      await eventually(() => spoken(guest)).toBe("");
      await say(member.page, "Is anybody there?");
      await eventually(() => spoken(member)).toBe("The Type Detective: Show me the line.");
      await eventually(() => spoken(guest)).toContain("The Type Detective: Show me the line.");
    });
  });

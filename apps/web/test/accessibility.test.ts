import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "./browser-hub.ts";
import { type ExamplePages, exampleReplies, fillWithExamples } from "./example-content.ts";
import { signIn } from "./sign-in.ts";
import { eventually, isLive, say } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const axeSource = () =>
  readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const sizes = [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
];

describe.skipIf(!chromium)("everybody can use every page", () => {
  let hub: BrowserHub;
  let pages: ExamplePages;
  let member: Visitor;
  let guest: Visitor;
  let axe: string;

  beforeAll(async () => {
    axe = await axeSource();
    hub = await startBrowserHub(chromium ?? "", exampleReplies);
    pages = await fillWithExamples(hub);
    // The test itself, not the page, brings axe in; that the policy holds is tested elsewhere.
    member = await hub.visitor({ bypassCSP: true, reducedMotion: "reduce" });
    guest = await hub.visitor({ bypassCSP: true, reducedMotion: "reduce" });
    await signIn(member.page, "ada");
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  /** What axe finds on the page as it stands, in both schemes and both sizes. */
  async function violations(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    const found: string[] = [];
    for (const size of sizes) {
      await page.setViewportSize(size);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
        const results = await page.evaluate(() =>
          (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
        );
        for (const { id, nodes } of results.violations) {
          for (const { target, failureSummary } of nodes) {
            const summary = failureSummary?.split("\n")[1]?.trim();
            found.push(`${colorScheme} ${size.width}: ${id} at ${target.join(" ")}: ${summary}`);
          }
        }
      }
    }
    return found;
  }

  const asMember = [
    ["all souls", "/", "link:The Night Sky Guide"],
    ["a search", "/?q=night", "link:The Night Sky Guide"],
    ["a soul of one file", () => pages.singleSoul, "heading:The Type Detective"],
    ["a soul of several files", () => pages.folderSoul, "tab:STYLE.md"],
    ["a history", () => `${pages.folderSoul}/history`, "combobox:Before"],
    ["editing", () => `${pages.folderSoul}/edit`, "button:Save"],
    ["publishing", "/publish", "button:Publish"],
    ["a profile", "/u/grace", "heading:grace"],
    ["mini apps", "/apps", "link:Trip Plan"],
    ["a mini app", "/apps/trip-plan", "button:Talk to"],
    ["own souls", "/my-souls", "link:Harbour Pilot"],
    ["own chats", "/my-chats", "link:The Type Detective"],
    ["settings", "/settings", "heading:Wallet"],
    ["a room", () => pages.room, "table:"],
    ["nothing", "/no/such/page", "heading:Nobody lives here"],
    ["no such soul", "/soul/999999", "heading:This soul is not here"],
  ] as const;
  const asGuest = [
    ["signing in", "/sign-in", "button:Sign in"],
    ["signing in by wallet", "/sign-in/wallet", "heading:Sign in"],
    ["signing up", "/sign-up", "button:Create account"],
    ["own souls, signed out", "/my-souls", "link:Sign in"],
  ] as const;

  async function open({ page }: Visitor, path: string | (() => string), landmark: string) {
    const [role, name = ""] = landmark.split(":") as [Parameters<Page["getByRole"]>[0], string];
    // In a room on a phone the account's menu makes way.
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(typeof path === "string" ? path : path());
    await page
      .getByRole(role, name ? { name } : {})
      .first()
      .waitFor();
    // What comes late: the account's menu, and what skeletons stand for.
    if (page === member.page) await page.getByRole("button", { name: "Your account" }).waitFor();
    await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
  }

  it.each(asMember)(
    "shows a member %s",
    async (_, path, landmark) => {
      await open(member, path, landmark);
      expect(await violations(member.page)).toEqual([]);
    },
    LONG_MS,
  );

  it.each(asGuest)(
    "shows a guest %s",
    async (_, path, landmark) => {
      await open(guest, path, landmark);
      expect(await violations(guest.page)).toEqual([]);
    },
    LONG_MS,
  );

  /** Tabs from the top of the page to its end; says what was passed, and what showed no focus. */
  async function tabThrough(page: Page) {
    await page.evaluate(() => {
      document.body.tabIndex = -1;
      document.body.focus();
      document.body.removeAttribute("tabindex");
    });
    const passed: string[] = [];
    const unseen: string[] = [];
    for (;;) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body || element.hasAttribute("data-passed")) return;
        element.setAttribute("data-passed", "");
        const look = () => {
          const drawn: string[] = [];
          // The frame may be drawn around what holds the element: a card, a composer.
          for (let at: Element | null = element; at && drawn.length < 5; at = at.parentElement) {
            const { outline, boxShadow, borderColor } = getComputedStyle(at);
            drawn.push(`${outline} ${boxShadow} ${borderColor}`);
          }
          return drawn.join();
        };
        const focused = look();
        (element as HTMLElement).blur();
        const isSeen = focused !== look();
        (element as HTMLElement).focus();
        const label = element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "";
        return { name: `${element.tagName.toLowerCase()} ${label}`, isSeen };
      });
      if (!at) break;
      passed.push(at.name);
      if (!at.isSeen) unseen.push(at.name);
    }
    const missed = await page
      .locator(
        ":is(a[href], button, input, select, textarea, summary, [role=button], [role=tab][aria-selected=true], [role=link]):visible",
      )
      .evaluateAll((elements) =>
        elements
          .filter((element) => !element.hasAttribute("data-passed"))
          .filter((element) => !element.matches(":disabled, [role=tab][aria-selected=false]"))
          // Of radio buttons, and of an editor's lines, one stands for all.
          .filter((element) => !element.matches("[type=radio]:not(:checked)"))
          .map((element) => element.outerHTML.slice(0, 160)),
      );
    return { first: passed[0], unseen, missed };
  }

  it.each([
    ["all souls", "/", "link:The Night Sky Guide"],
    ["a soul", () => pages.folderSoul, "tab:STYLE.md"],
    ["a room", () => pages.room, "table:"],
  ] as const)(
    "is gone through by the Tab key, seen at every step: %s",
    async (_, path, landmark) => {
      await open(member, path, landmark);
      expect(await tabThrough(member.page)).toEqual({
        first: "a Skip to the page",
        unseen: [],
        missed: [],
      });
    },
    LONG_MS,
  );

  it("skips to the page", async () => {
    const { page } = member;
    await open(member, "/apps", "link:Trip Plan");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await eventually(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
  });

  it("announces what others say and the whole reply, not what one says oneself", async () => {
    await open(member, pages.room, "table:");
    await isLive(member.page);
    await open(guest, pages.room, "table:");
    await isLive(guest.page);
    const spoken = ({ page }: Visitor) =>
      page.locator("[aria-live=polite][role=log]").textContent();
    expect(await spoken(guest)).toBe("");
    await say(member.page, "Is anybody there?");
    await eventually(() => spoken(member)).toBe("The Type Detective: Show me the line.");
    await eventually(() => spoken(guest)).toContain("The Type Detective: Show me the line.");
  });
});

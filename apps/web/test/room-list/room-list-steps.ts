import type { Page } from "playwright-core";
import type { BrowserHub } from "../browser-hub.ts";
import { eventually } from "../steps.ts";

/** Says something in a room with the first soul, through the API. The soul replies. */
export const speak = (hub: BrowserHub, key: string, session_token: string, content: string) =>
  hub.post("/api/chat", { soul_id: 1, session_token, content }, key);

/** The entry of a room in the list, by a text in it. */
export const row = (page: Page, text: string | RegExp) =>
  page.locator(".room-row").filter({ hasText: text });

/** Hides or shows the tab, as far as the page can tell. */
export const setVisible = (page: Page, state: "visible" | "hidden") =>
  page.evaluate((to) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, value: to });
    Object.defineProperty(document, "hidden", { configurable: true, value: to === "hidden" });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, state);

/** Returns to the tab, which asks the hub for news. */
export async function comeBack(page: Page): Promise<void> {
  await setVisible(page, "hidden");
  await setVisible(page, "visible");
}

/** The hub's counts for an account in a room with the first soul. */
export async function countsOf(hub: BrowserHub, key: string, session_token: string) {
  const response = await fetch(`${hub.url}/api/my-chats`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { sessions } = (await response.json()) as {
    sessions: { session_token: string; unread: number; mentions: number }[];
  };
  const found = sessions.find((one) => one.session_token === session_token);
  return [found?.unread, found?.mentions];
}

export const isAtTitle = (page: Page, title: RegExp) =>
  eventually(() => page.title()).toMatch(title);

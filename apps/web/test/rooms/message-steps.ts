import type { Locator, Page } from "playwright-core";
import type { Visitor } from "../browser-hub.ts";
import { enterRoom, replies, say } from "../steps.ts";

/** The model's reply in the tests of actions on messages: it repeats the question. */
export const repeating = ({ messages }: { messages: readonly { content: string }[] }) =>
  `You said: ${messages.at(-1)?.content.replace(/^\[.*?\] /, "")}`;

export const line = (page: Page, text: string | RegExp) =>
  page.locator(".line").filter({ hasText: text });

export const button = (at: Page | Locator, name: string) =>
  at.getByRole("button", { name, exact: true });

/** The open menu of a button, which is a sheet on a phone. */
export const menuNamed = (page: Page, name: string) =>
  page.getByRole("menu", { name, exact: true }).or(page.getByRole("dialog", { name, exact: true }));

/** An entry of an open menu. A note may follow its name. */
export const entry = (menu: Locator, name: string): Locator =>
  menu
    .getByRole("menuitem", { name })
    .or(menu.getByRole("menuitemcheckbox", { name }))
    .or(menu.getByRole("button", { name }));

/** Opens the menu of a message: of a line, or of the first one with a text. */
export async function openMenu(page: Page, at: string | RegExp | Locator): Promise<Locator> {
  const isText = typeof at === "string" || at instanceof RegExp;
  const opener = button(isText ? line(page, at).first() : at, "Message actions");
  const isTouch = await page.evaluate(() => matchMedia("(hover: none)").matches);
  if (isTouch) await opener.press("Enter");
  else {
    // The mouse may lie there already, since a step before. The page notices one that moves.
    await page.mouse.move(0, 0);
    await opener.click();
  }
  const menu = menuNamed(page, "Message actions");
  await menu.waitFor();
  return menu;
}

/** Chooses an entry of a message's menu. */
export const press = async (page: Page, at: string | RegExp | Locator, name: string) =>
  entry(await openMenu(page, at), name).click();

/** Closes an open menu. */
export async function closeMenu(page: Page, menu: Locator): Promise<void> {
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
}

export async function startRoom(name: string, ...visitors: Visitor[]) {
  for (const visitor of visitors) await enterRoom(visitor, name);
}

/** Asks, and waits for the {@link repeating} reply. */
export async function ask({ page }: Visitor, text: string) {
  await say(page, text);
  await replies(page)
    .filter({ hasText: `You said: ${text}` })
    .waitFor();
}

import type { Locator, Page } from "playwright-core";
import { button, closeMenu, entry, menuNamed } from "../rooms/message-steps.ts";

/** Opens the room's menu and chooses an item. */
export async function choose(page: Page, item: string): Promise<void> {
  await button(page, "Room menu").click();
  await entry(menuNamed(page, "Room menu"), item).click();
}

/** Returns the items of the room's menu. */
export async function menuOf(page: Page): Promise<string[]> {
  await button(page, "Room menu").click();
  const menu = menuNamed(page, "Room menu");
  const items = menu.getByRole("menuitem").or(menu.getByRole("listitem"));
  await items.first().waitFor();
  const names = await items.allTextContents();
  await closeMenu(page, menu);
  return names;
}

/** Closes the open dialog by its key. */
export async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** The first link in a dialog or a part of a page. */
export const linkIn = async (at: Locator): Promise<string> =>
  (await at.locator(".copy-field code").first().textContent()) ?? "";

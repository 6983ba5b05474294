import type { Page } from "playwright-core";
import { button } from "../rooms/message-steps.ts";

/** Opens the room's menu and chooses an item. */
export async function choose(page: Page, item: string): Promise<void> {
  await button(page, "Room menu").click();
  await page.getByRole("menuitem", { name: item }).click();
}

/** Returns the items of the room's menu. */
export async function menuOf(page: Page): Promise<string[]> {
  await button(page, "Room menu").click();
  await page.getByRole("menuitem").first().waitFor();
  const items = await page.getByRole("menuitem").allTextContents();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  return items;
}

/** Closes the open dialog by its key. */
export async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** The first link in the open dialog. */
export const linkIn = async (page: Page): Promise<string> =>
  (await page.getByRole("dialog").locator(".copyable-code code").first().textContent()) ?? "";

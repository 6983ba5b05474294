import type { FileChooser, Locator, Page } from "playwright-core";
import { eventually } from "../steps.ts";
import { button, closeMenu, entry, menuNamed } from "./message-steps.ts";

/** Opens the menu of the composer. */
export async function openOptions(page: Page): Promise<Locator> {
  await button(page, "More options").click();
  const menu = menuNamed(page, "More options");
  await menu.waitFor();
  return menu;
}

/** Turns an option of the next message on or off. */
export const turn = async (page: Page, option: string) =>
  entry(await openOptions(page), option).click();

/** Whether an option of the next message is on: then it has a chip. */
export const isOn = async (page: Page, option: string) =>
  (await button(page, `${option}: turn off`).count()) === 1;

/** Waits until the composer's menu does or does not offer an option. */
export async function offers(page: Page, option: string, isOffered: boolean) {
  const menu = await openOptions(page);
  await eventually(() => entry(menu, option).count()).toBe(isOffered ? 1 : 0);
  await closeMenu(page, menu);
}

/** Makes the next message the first one of a private room. */
export async function startPrivate(page: Page) {
  await turn(page, "Private chat");
  await button(page, "Yes, with my next message").click();
}

/** Chooses an image for the next message. */
export async function attach(page: Page, file: Parameters<FileChooser["setFiles"]>[0]) {
  const chooser = page.waitForEvent("filechooser");
  await button(page, "Send an image").click();
  await (await chooser).setFiles(file);
}

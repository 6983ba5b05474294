import type { Locator, Page } from "playwright-core";

/** The room's panel, beside the conversation. */
export const side = (page: Page) => page.getByRole("complementary", { name: "About this room" });

/** A section of the panel, closed or open. */
export const sectionOf = (panel: Locator, title: string) =>
  panel.locator("details", {
    has: panel.page().getByRole("heading", { name: title, exact: true }),
  });

/** A section of the panel, opened. */
export async function section(panel: Locator, title: string): Promise<Locator> {
  const found = sectionOf(panel, title);
  const isOpen = await found.evaluate((one: HTMLDetailsElement) => one.open);
  if (!isOpen) await found.locator("summary").click();
  return found;
}

/** The sign of a private room, beside its name. */
export const lock = (page: Page) =>
  page.getByRole("heading", { level: 1 }).getByRole("img", { name: "Private" });

/** Opens the panel of a narrow window, which is a drawer. */
export async function openDrawer(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: /Room details/ }).click();
  const drawer = page.getByRole("dialog", { name: "This room" });
  await drawer.waitFor();
  return drawer;
}

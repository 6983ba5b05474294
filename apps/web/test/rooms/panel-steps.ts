import type { Locator, Page } from "playwright-core";

/** The room's panel, beside the conversation. */
export const side = (page: Page) => page.getByRole("complementary", { name: "About this room" });

/** A section of the panel, opened. */
export async function section(panel: Locator, title: string): Promise<Locator> {
  const found = panel.getByRole("region", { name: title });
  const details = found.locator("details");
  if (!(await details.evaluate((one: HTMLDetailsElement) => one.open))) {
    await details.locator("summary").click();
  }
  return found;
}

/** Opens the panel of a narrow window, which is a drawer. */
export async function openDrawer(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: /Room details/ }).click();
  const drawer = page.getByRole("dialog", { name: "This room" });
  await drawer.waitFor();
  return drawer;
}

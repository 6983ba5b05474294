import type { Locator, Page } from "playwright-core";
import type { Visitor } from "../browser-hub.ts";
import { enterRoom, say } from "../steps.ts";

/** The model's reply in the tests of actions on messages: it repeats the question. */
export const repeating = ({ messages }: { messages: readonly { content: string }[] }) =>
  `You said: ${messages.at(-1)?.content.replace(/^\[.*?\] /, "")}`;

export const line = (page: Page, text: string | RegExp) =>
  page.locator(".line").filter({ hasText: text });

export const button = (at: Page | Locator, name: string) =>
  at.getByRole("button", { name, exact: true });

/** Shows the tools of a message: with a mouse by pointing at it, with a finger by its button. */
export async function toolsOf(page: Page, text: string | RegExp) {
  const found = line(page, text).first();
  const isTouch = await page.evaluate(() => matchMedia("(hover: none)").matches);
  if (isTouch) await button(found, "Message actions").tap();
  else {
    // The page notices a mouse that moves. It may lie there already, since a step before.
    await page.mouse.move(0, 0);
    await found.hover();
  }
  return found;
}

/** Opens a tool of a message. */
export const press = async (page: Page, text: string | RegExp, tool: string) =>
  button(await toolsOf(page, text), tool).click();

export async function startRoom(name: string, ...visitors: Visitor[]) {
  for (const visitor of visitors) await enterRoom(visitor, name);
}

/** Asks, and waits for the {@link repeating} reply. */
export async function ask({ page }: Visitor, text: string) {
  await say(page, text);
  await line(page, `You said: ${text}`).locator(".line__copy").waitFor();
}

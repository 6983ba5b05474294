import { ADMIN_TOKEN } from "@soul-hub/api/testing";
import type { Page } from "playwright-core";
import type { BrowserHub } from "../browser-hub.ts";

export const look = { bypassCSP: true, reducedMotion: "reduce" } as const;

/** Makes an account a member of the staff. */
export const promote = (hub: BrowserHub, username: string, role: "moderator" | "admin") =>
  hub.put("/api/admin/role", { username, role }, ADMIN_TOKEN);

/** Opens a case and decides it through the API, as other staff would. */
export async function decide(hub: BrowserHub, key: string, target: object, decision: object) {
  const { id, revision } = await hub.post("/api/mod/cases", target, key);
  const reason = { reason: "private_data", message_to_author: "Please take the address out." };
  const answer = { revision, ...reason, ...decision };
  await hub.post(`/api/mod/cases/${id}/act`, answer, key);
  return Number(id);
}

/** Fills the open dialog of a report and sends it. */
export async function sendReport(page: Page, reason: string, note: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What is wrong?").selectOption(reason);
  await dialog.getByLabel("Note").fill(note);
  await dialog.getByRole("button", { name: "Send the report" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Thank you.").first().waitFor();
}

/** Presses keys one after another. */
export async function keys(page: Page, ...pressed: string[]): Promise<void> {
  for (const key of pressed) await page.keyboard.press(key);
}

/** Waits until an action's dialog has the focus: until then, typed words would be lost. */
export async function inDialog(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name });
  await dialog.locator(":is(textarea, [type=submit]):focus").waitFor();
}

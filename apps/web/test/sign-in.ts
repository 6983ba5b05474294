import type { Page } from "playwright-core";

export const PASSWORD = "correct horse battery";

export async function signIn(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: `Your account, ${username}` }).waitFor();
}

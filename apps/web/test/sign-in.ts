import type { Page } from "playwright-core";

export const PASSWORD = "correct horse battery";

/** Signs a browser context in by the API. `signInByForm` does so on the page. */
export async function signIn(page: Page, username: string, password = PASSWORD): Promise<void> {
  const data = { username, password, remember: true };
  const answer = await page.context().request.post("/api/login", { data });
  if (!answer.ok()) throw new Error(`${username} could not sign in: ${await answer.text()}`);
}

export async function signInByForm(
  page: Page,
  username: string,
  password = PASSWORD,
): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: `Your account, ${username}` }).waitFor();
}

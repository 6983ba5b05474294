import type { Page } from "playwright-core";

/** Loads the page again with another answer of a procedure, as another hub would give it. */
export async function answerAs(page: Page, procedure: string, from: string | RegExp, to: string) {
  await page.route(`**/trpc/*${procedure}*`, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(from, to);
    await route.fulfill({ response, body });
  });
  await page.reload({ waitUntil: "networkidle" });
}

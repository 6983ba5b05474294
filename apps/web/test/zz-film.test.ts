import { inject, it } from "vitest";
import { startBrowserHub } from "./browser-hub.ts";
import { PASSWORD } from "./sign-in.ts";
import { isLive, phone, replied, say } from "./steps.ts";

const { chromium } = inject("services");
it("film", { timeout: 400_000 }, async () => {
  const hub = await startBrowserHub(chromium ?? "");
  let n = 0;
  for (const colorScheme of ["light", "dark"] as const)
    for (const [size, look] of [
      ["wide", { viewport: { width: 1440, height: 900 } }],
      ["phone", { ...phone }],
    ] as const) {
      n++;
      const { page } = await hub.visitor({
        ...look,
        colorScheme,
        reducedMotion: "reduce",
      } as never);
      const shot = async (name: string) => {
        await page.waitForTimeout(500);
        await page.screenshot({ path: `/tmp/w/film/${size}-${colorScheme}-${name}.png` });
      };
      await page.goto("/", { waitUntil: "networkidle" });
      await shot("1-start");
      await page.getByRole("article").first().getByRole("link").first().click();
      await page.waitForURL(/soul/);
      await page.waitForLoadState("networkidle");
      await shot("2-soul");
      await page
        .locator("main")
        .getByRole("link", { name: /^Talk/ })
        .or(page.locator("main").getByRole("button", { name: /^Talk/ }))
        .first()
        .click();
      await isLive(page);
      await say(page, "Why are you here?");
      await replied(page);
      await shot("3-room");
      const room = new URL(page.url()).pathname;
      await page.goto(`/sign-up?next=${encodeURIComponent(room)}`);
      await page.getByLabel("Username").fill(`newcomer${n}`);
      await page.getByLabel("Email").fill(`newcomer${n}@example.org`);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await shot("4-sign-up");
      await page.getByRole("button", { name: "Create account" }).click();
      await page.waitForURL(new RegExp(room));
      await isLive(page);
      await shot("5-same-room");
      await page.goto("/publish");
      await page.getByLabel("Title").fill("Lamp Keeper");
      await page.getByLabel("Description").fill("Keeps the light, and tells of ships.");
      await page.getByLabel("Text of SOUL.md").fill("# Lamp Keeper\nYou keep a light.");
      await page.getByRole("button", { name: "Try", exact: true }).click();
      await page.getByLabel("Message to Lamp Keeper").fill("Any ships tonight?");
      await page.keyboard.press("Enter");
      await page
        .getByText(/My soul says/)
        .first()
        .waitFor();
      await shot("6-try");
      await page.getByRole("button", { name: "Publish", exact: true }).click();
      await page.waitForURL(/\/soul\/\d+$/);
      await shot("7-published");
      await page.goto("/my-souls", { waitUntil: "networkidle" });
      await shot("8-my-souls");
    }
  await hub[Symbol.asyncDispose]();
});

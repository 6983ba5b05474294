/**
 * `pnpm screenshots` takes screenshots of every page with example content, in both colour schemes
 * and two sizes. They go to the git-ignored folder `screenshots/`. Those of the README have double
 * resolution. `pnpm screenshots room browse-dark` takes only those whose names start with an
 * argument.
 */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startSmtpSink } from "@soul-hub/api/testing";
import type { Page } from "playwright-core";
import type { BrowserHub } from "../browser-hub.ts";
import { exampleReplies, fillWithExamples } from "../example-content.ts";
import { startHubProcess } from "../hub-process.ts";
import { fillWithCases } from "../moderation/example-cases.ts";
import { signIn } from "../sign-in.ts";
import { guestPages, memberPages } from "./screenshot-pages.ts";
import { states } from "./screenshot-states.ts";

const target = path.resolve(fileURLToPath(import.meta.url), "../../../../../screenshots");
const chromium = process.env.CHROMIUM_PATH || "/usr/bin/chromium";

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const schemes = ["light", "dark"] as const;

/** The names of the screenshots in docs/images, as `name-scheme-width`. */
const inReadme = new Set([
  "browse-light-1440",
  "room-dark-1440",
  "history-light-1440",
  "soul-dark-390",
]);

const selected = process.argv.slice(2);
const isSelected = (name: string) =>
  selected.length === 0 || selected.some((start) => name.startsWith(start));

async function takeAll(hub: BrowserHub) {
  const pages = await fillWithExamples(hub);
  const examples = { ...pages, ...(await fillWithCases(hub, pages)) };
  // The screenshot of the room also shows a second participant, Grace.
  const grace = await hub.visitor();
  await signIn(grace.page, "grace");
  await grace.page.goto(examples.room);
  for (const viewport of sizes) {
    for (const colorScheme of schemes) {
      for (const deviceScaleFactor of [1, 2]) {
        const suffix = `${colorScheme}-${viewport.width}`;
        const wanted = ([name]: [string, string]) =>
          isSelected(`${name}-${suffix}`) &&
          inReadme.has(`${name}-${suffix}`) === (deviceScaleFactor === 2);
        const isPhone = viewport.width < 500;
        const input = { hasTouch: isPhone, isMobile: isPhone };
        const look = {
          viewport,
          colorScheme,
          deviceScaleFactor,
          reducedMotion: "reduce",
          ...input,
        } as const;
        const member = Object.entries(memberPages(examples)).filter(wanted);
        const guest = Object.entries(guestPages(examples)).filter(wanted);
        if (member.length + guest.length === 0) continue;
        const visitor = await hub.visitor(look);
        for (const [name, address] of guest) await take(visitor.page, address, `${name}-${suffix}`);
        if (member.length > 0) await signIn(visitor.page, "ada");
        for (const [name, address] of member)
          await take(visitor.page, address, `${name}-${suffix}`);
        await visitor.context.close();
      }
    }
  }
}

async function take(page: Page, address: string, name: string) {
  await page.emulateMedia({ media: "screen" });
  await page.unrouteAll();
  await page.goto(address, { waitUntil: "networkidle" });
  await page.evaluate(() => document.fonts.ready);
  // The page of a room shows "Live" once its client is connected.
  if (address.startsWith("/chat/")) await page.getByText("Live", { exact: true }).waitFor();
  const [, state = ""] = /^(.*)-(?:light|dark)-\d+$/.exec(name) ?? [];
  await states[state]?.(page);
  // The tools of a message are shown while the mouse is over it.
  await page.mouse.move(0, 0);
  const file = path.join(target, name);
  if (inReadme.has(name)) {
    const session = await page.context().newCDPSession(page);
    const shot = { format: "webp", quality: 82 } as const;
    const { data } = await session.send("Page.captureScreenshot", shot);
    await writeFile(`${file}.webp`, data, "base64");
  } else {
    await page.screenshot({ path: `${file}.png` });
  }
  console.log(name);
}

if (!existsSync(chromium)) {
  console.error(`No browser at ${chromium}: install Chromium, or name one by CHROMIUM_PATH.`);
  process.exitCode = 1;
} else {
  await mkdir(target, { recursive: true });
  await using mail = await startSmtpSink();
  const environment = { SMTP_URL: mail.url, MAIL_FROM: "hub@example.org" };
  await using hub = await startHubProcess(chromium, {
    model: exampleReplies,
    database: "new",
    environment,
  });
  await takeAll(hub);
  console.log(`All in ${path.relative(process.cwd(), target)}/`);
}

/**
 * `pnpm long-room`: how fast the page opens and scrolls a room of 10,000 messages, on Lighthouse's
 * desktop preset. `pnpm long-room 2000` fills a shorter room.
 */
import type { Page } from "playwright-core";
import { startHubProcess } from "../hub-process.ts";
import { isLive, passHolder } from "../steps.ts";

const MESSAGES = Number(process.argv[2] ?? 10_000);
const RUNS = 3;
/** The number of wheel turns of each run, which load about 2,000 earlier messages. */
const TURNS = 300;
const TURN_PX = 600;
const goals = { openMs: 1_000, frameMs: 50 };
/** Lighthouse's desktop preset: the window, and a dense 4G network. */
const viewport = { width: 1350, height: 940 };
const network = {
  offline: false,
  latency: 40,
  downloadThroughput: 1.28e6,
  uploadThroughput: 1.28e6,
};

const room = { soul_id: 1, session_token: "long" };
const words = "the sea is calm and the lamp burns low tonight ".repeat(8).split(" ");
const textOf = (n: number) => `${n}: ${words.slice(0, 5 + ((n * 7) % 60)).join(" ")}`;

interface Measured {
  /** The time in milliseconds from the navigation until the newest message was painted. */
  opened: number;
  /** The durations in milliseconds of the frames since then. */
  frames: number[];
}

/** Runs in the page before its own scripts. */
function measure(newest: string): void {
  const measured: Measured = { opened: 0, frames: [] };
  Object.assign(window, { measured });
  let before = performance.now();
  const frame = (now: number) => {
    if (measured.opened > 0) measured.frames.push(now - before);
    else if (document.querySelector(".room__scroll")?.textContent?.includes(newest)) {
      measured.opened = now;
    }
    before = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

async function scrollUp(page: Page): Promise<void> {
  await page.mouse.move(viewport.width / 2, viewport.height / 2);
  for (let turn = 0; turn < TURNS; turn++) {
    await page.mouse.wheel(0, -TURN_PX);
    await page.waitForTimeout(30);
  }
}

await using hub = await startHubProcess(process.env.CHROMIUM_PATH || "/usr/bin/chromium", {
  database: "new",
});
const writer = await passHolder(hub, "ada", "pro");
await hub.post("/api/souls", { title: "Orla", content: "I keep the light." }, writer);
for (let n = 1; n <= MESSAGES; n++) {
  await hub.post("/api/say", { ...room, content: textOf(n) }, writer);
}
for (let run = 1; run <= RUNS; run++) {
  const { page, context } = await hub.visitor({ viewport });
  const session = await context.newCDPSession(page);
  await session.send("Network.emulateNetworkConditions", network);
  await page.addInitScript(measure, `${MESSAGES}: `);
  await page.goto(`/chat/1/${room.session_token}`);
  await isLive(page);
  await scrollUp(page);
  const { opened, frames } = await page.evaluate(
    () => (window as unknown as { measured: Measured }).measured,
  );
  const lines = await page.locator(".line").count();
  const longest = Math.max(...frames);
  const slow = frames.filter((ms) => ms > goals.frameMs).length;
  const isMet = opened < goals.openMs && slow === 0;
  console.log(
    `${isMet ? "  " : "✗ "}opened after ${opened.toFixed(0)} ms; ${frames.length} frames while ` +
      `scrolling to ${lines} messages, longest ${longest.toFixed(0)} ms, ${slow} above ${goals.frameMs} ms`,
  );
  if (!isMet) process.exitCode = 1;
  await context.close();
}

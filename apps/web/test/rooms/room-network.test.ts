import type { WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { eventually, isLive, say, signUp } from "../steps.ts";

const { chromium } = inject("services");
const LONG_MS = 120_000;

describe.skipIf(!chromium)("a room in the browser over a failing network", () => {
  let hub: BrowserHub;
  let ada: Visitor;
  let guest: Visitor;
  /**
   * Open WebSockets of the member's page. Playwright's offline mode doesn't close open WebSockets.
   */
  const sockets = new Set<WebSocketRoute>();
  let areSocketsBlocked = false;

  beforeAll(async () => {
    hub = await startBrowserHub(chromium ?? "");
    ada = await hub.visitor();
    guest = await hub.visitor();
    await signUp(ada.page, "ada");
    await ada.page.routeWebSocket(/trpc/, (socket) => {
      // While WebSockets are blocked, a new one opens, but closes when the page sends its first
      // message.
      if (areSocketsBlocked) {
        socket.onMessage(() => void socket.close({ code: 1011 }));
        return;
      }
      sockets.add(socket);
      socket.connectToServer();
    });
    await ada.page.goto("/chat/1/network");
    await isLive(ada.page);
    await guest.page.goto(ada.page.url());
    await isLive(guest.page);
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose]());

  const cut = async () => {
    areSocketsBlocked = true;
    await ada.context.setOffline(true);
    for (const socket of sockets) await socket.close({ code: 1011 });
    sockets.clear();
  };
  const said = ({ page }: Visitor) => page.locator(".line__said").allTextContents();
  const replies = ({ page }: Visitor) => page.locator(".line__reply").allTextContents();
  const whole = (visitor: Visitor, count: number) =>
    eventually(() => visitor.page.locator(".line__copy").count()).toBe(count);

  it(
    "reconnects in the middle of a reply without losing or repeating messages",
    async () => {
      const goOn = hub.model.holdNext();
      await say(ada.page, "Is it dark?");
      await ada.page.locator(".line__reply").getByText(/^My/).waitFor();
      await cut();
      await ada.page.getByText("Connection lost").waitFor();
      await ada.page.getByText(/The hub is still writing the reply/).waitFor();
      const retry = ada.page.getByText("Try now", { exact: true });
      expect(await retry.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
      goOn();
      await whole(guest, 1);
      await say(guest.page, "Still here.");
      await whole(guest, 2);
      areSocketsBlocked = false;
      await ada.context.setOffline(false);
      await isLive(ada.page);
      await whole(ada, 2);
      await eventually(() => said(ada)).toEqual(["Is it dark?", "Still here."]);
      await eventually(() => said(guest)).toEqual(["Is it dark?", "Still here."]);
      expect(await replies(ada)).toEqual(await replies(guest));
      await eventually(() => ada.page.getByText("Connection lost").count()).toBe(0);
      await eventually(() => ada.page.getByRole("button", { name: "Send again" }).count()).toBe(0);
    },
    LONG_MS,
  );

  it(
    "falls back from WebSockets and returns to them",
    async () => {
      areSocketsBlocked = true;
      for (const socket of sockets) await socket.close({ code: 1011 });
      sockets.clear();
      await isLive(ada.page);
      await say(ada.page, "By another way.");
      await whole(ada, 3);
      await whole(guest, 3);
      areSocketsBlocked = false;
      // The browser's `online` event triggers a new connection attempt, unless one is under way.
      const tryAgain = async () => {
        await ada.page.evaluate(() => window.dispatchEvent(new Event("online")));
        return sockets.size;
      };
      await expect.poll(tryAgain, { timeout: 60_000, interval: 1_000 }).toBe(1);
      await say(guest.page, "And back.");
      await whole(ada, 4);
      await eventually(() => said(ada)).toEqual([
        "Is it dark?",
        "Still here.",
        "By another way.",
        "And back.",
      ]);
    },
    LONG_MS,
  );
});

import type { WebSocketRoute } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import type { Visitor } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";
import { enterRoom, eventually, isLive, replied, say, signUp } from "../steps.ts";

const visitors = { guest: { as: "guest" } } as const;

describeBrowser("a room over a failing network", { visitors }, (hub, { guest }) => {
  /** A member, whose page logs the failures of its network. */
  let ada: Visitor;
  /**
   * Open WebSockets of the member's page. Playwright's offline mode doesn't close open WebSockets.
   */
  const sockets = new Set<WebSocketRoute>();
  let areSocketsBlocked = false;

  beforeAll(async () => {
    ada = await hub.visitor();
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
  });

  /** Opens a new room. The member's page is loaded again, so that its connection is new as well. */
  async function startRoom(name: string) {
    areSocketsBlocked = false;
    await ada.context.setOffline(false);
    sockets.clear();
    await ada.page.goto(`/chat/1/${name}`);
    await isLive(ada.page);
    await enterRoom(guest, name);
  }
  const closeSockets = async () => {
    areSocketsBlocked = true;
    for (const socket of sockets) await socket.close({ code: 1011 });
    sockets.clear();
  };
  const said = ({ page }: Visitor) => page.locator(".line__said").allTextContents();
  const replies = ({ page }: Visitor) => page.locator(".line__reply").allTextContents();
  const whole = (visitor: Visitor, count: number) => replied(visitor.page, count);

  it("reconnects in the middle of a reply without losing or repeating messages", async () => {
    await startRoom("reconnects");
    const goOn = hub.model.holdNext();
    await say(ada.page, "Is it dark?");
    await ada.page.locator(".line__reply").getByText(/^My/).waitFor();
    await ada.context.setOffline(true);
    await closeSockets();
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
  });

  it("sends the question behind a lost one once the page has connected again", async () => {
    await startRoom("lost");
    const { page } = ada;
    let abort = () => {};
    const isAborted = new Promise<void>((resolve) => {
      abort = resolve;
    });
    await page.route("**/trpc/chat.send*", (route) => isAborted.then(() => route.abort()));
    await say(page, "Lost.");
    await say(page, "Behind it.");
    await page.getByText("Waits for the reply to your message above.").waitFor();
    abort();
    await page.getByText("Waits until you send or remove the message above.").waitFor();
    await page.unroute("**/trpc/chat.send*");
    await page.context().setOffline(true);
    await closeSockets();
    await page.getByText("Connection lost").waitFor();
    areSocketsBlocked = false;
    await page.context().setOffline(false);
    await whole(ada, 1);
    await eventually(() => said(guest)).toEqual(["Behind it."]);
    await page.getByRole("button", { name: "Send again" }).waitFor();
  });

  it("falls back from WebSockets and returns to them", async () => {
    await startRoom("falls-back");
    await closeSockets();
    await isLive(ada.page);
    await say(ada.page, "By another way.");
    await whole(ada, 1);
    await whole(guest, 1);
    areSocketsBlocked = false;
    // The browser's `online` event triggers a new connection attempt, unless one is under way.
    const tryAgain = async () => {
      await ada.page.evaluate(() => window.dispatchEvent(new Event("online")));
      return sockets.size;
    };
    await expect.poll(tryAgain, { timeout: 60_000, interval: 1_000 }).toBe(1);
    await say(guest.page, "And back.");
    await whole(ada, 2);
    await eventually(() => said(ada)).toEqual(["By another way.", "And back."]);
  });
});

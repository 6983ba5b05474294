import { beforeAll, expect, it } from "vitest";
import type { Visitor } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";
import { signIn } from "../sign-in.ts";
import { enterRoom, eventually, isLive, phone, say } from "../steps.ts";
import { comeBack, countsOf, isAtTitle, row, setVisible, speak } from "./room-list-steps.ts";

const desktop = { viewport: { width: 1440, height: 900 } } as const;
const visitors = { ada: { as: "vip", look: desktop }, ben: { as: "vip" } } as const;
const model = { reply: () => "**Mm**, yes." };

describeBrowser("the list of rooms", { visitors, model }, (hub, { ada, ben }) => {
  beforeAll(async () => {
    await speak(hub, ada.key, "tabs", "Tabs or spaces?");
    await speak(hub, ada.key, "owls", "Do owls sleep?");
  });

  const list = ({ page }: Visitor = ada) => page.getByRole("navigation", { name: "Your rooms" });

  it("stands beside the open room and marks it", async () => {
    const page = await enterRoom(ada, "owls");
    const open = list().getByRole("link", { name: /^Do owls sleep\?/ });
    await open.waitFor();
    expect(await open.getAttribute("aria-current")).toBe("page");
    const other = list().getByRole("link", { name: /^Tabs or spaces\?/ });
    expect(await other.getAttribute("aria-current")).toBe(null);
    const soul = await page.getByRole("heading", { level: 1 }).textContent();
    const words = (await other.textContent())?.split(
      /^(Tabs or spaces\?)(?:just now|\d+ minutes? ago)/,
    );
    // The reply is not seen yet, so the row ends with the count of 1.
    expect(words).toEqual(["", "Tabs or spaces?", `${soul}Mm, yes.1`]);
    await other.click();
    await page.waitForURL(/\/chat\/1\/tabs$/);
    await isLive(page);
    expect(await other.getAttribute("aria-current")).toBe("page");
  });

  it("counts what others wrote elsewhere, also in the title, until it is seen", async () => {
    const page = await enterRoom(ada, "owls");
    await list().getByRole("link").first().waitFor();
    await speak(hub, ben.key, "tabs", "Spaces, I say.");
    await comeBack(page);
    await row(page, "Tabs or spaces?").getByRole("img", { name: "2 new" }).waitFor();
    await isAtTitle(page, /^\(1\) /);
    await speak(hub, ben.key, "tabs", "What says @Ada?");
    await comeBack(page);
    await row(page, "Tabs or spaces?").getByRole("img", { name: "4 new" }).waitFor();
    await row(page, "Tabs or spaces?").getByRole("img", { name: "mentions you" }).waitFor();

    await row(page, "Tabs or spaces?").click();
    await isLive(page);
    await eventually(() => list().locator(".new-count").count()).toBe(0);
    await isAtTitle(page, /^[^(]/);
    await eventually(() => countsOf(hub, ada.key, "tabs")).toEqual([0, 0]);
    await row(page, "Do owls sleep?").click();
    await page.waitForURL(/\/chat\/1\/owls$/);
    await isLive(page);
    expect(await list().locator(".new-count").count()).toBe(0);
    await page.reload();
    await row(page, "Tabs or spaces?").waitFor();
    expect(await list().locator(".new-count").count()).toBe(0);
  });

  it("marks the message that mentions the member, and her name in it", async () => {
    const page = await enterRoom(ada, "tabs");
    const line = page.locator(".line[data-mention=true]");
    await eventually(() => line.count()).toBe(1);
    expect(await line.textContent()).toContain("mentions you");
    expect(await line.locator(".line__at").textContent()).toBe("@Ada");
  });

  it("does not mark messages as seen while the tab is hidden or the reader is elsewhere", async () => {
    const page = await enterRoom(ada, "owls");
    await setVisible(page, "hidden");
    await speak(hub, ben.key, "owls", "By day.");
    await page.locator(".line").filter({ hasText: "By day." }).waitFor();
    await isAtTitle(page, /^\(1\) /);
    // The list is refreshed after the message, and shows it as the room's last one.
    expect(await countsOf(hub, ada.key, "owls")).toEqual([2, 0]);
    await setVisible(page, "visible");
    await eventually(() => countsOf(hub, ada.key, "owls")).toEqual([0, 0]);
    await isAtTitle(page, /^[^(]/);

    for (let n = 0; n < 6; n++) await speak(hub, ada.key, "owls", `Long.${"\nAnd on.".repeat(20)}`);
    await page.getByText("Long.").nth(5).waitFor();
    // A reader who scrolls up before a reply was seen has not seen it.
    await eventually(() => countsOf(hub, ada.key, "owls")).toEqual([0, 0]);
    // A reply that arrives before the scroll counts takes a reader at the end along.
    await eventually(async () => {
      await page.locator(".room__scroll").evaluate((box) => box.scrollTo(0, 200));
      return page.getByRole("button", { name: "Newest" }).isVisible();
    }).toBe(true);
    await eventually(() => countsOf(hub, ada.key, "owls")).toEqual([0, 0]);
    await speak(hub, ben.key, "owls", "By night?");
    await page.getByRole("button", { name: "2 new" }).waitFor();
    expect(await countsOf(hub, ada.key, "owls")).toEqual([2, 0]);
    await page.getByRole("button", { name: "2 new" }).click();
    await eventually(() => countsOf(hub, ada.key, "owls")).toEqual([0, 0]);
  });

  it("shows the last line of the open room, and a new room after its first message", async () => {
    const page = await enterRoom(ada, "owls");
    await list()
      .getByRole("link", { name: /^New room/ })
      .click();
    await page.waitForURL(/\/chat\/1\/[0-9a-f]{32}$/);
    await isLive(page);
    expect(await list().locator("[aria-current=page]").count()).toBe(0);
    await say(page, "Something else.");
    const open = list().locator("[aria-current=page]");
    await eventually(() => open.textContent()).toMatch(/^Something else\..*Mm, yes\.$/s);
    await list().getByText("Find a soul").click();
    await page.waitForURL(/\/$/);
  });

  it("is used with the arrow keys, and hides", async () => {
    const page = await enterRoom(ada, "owls");
    const focused = () =>
      list()
        .getByRole("listitem")
        .evaluateAll((rows) => rows.findIndex((row) => row.contains(document.activeElement)));
    // A new message may move a row meanwhile.
    await eventually(async () => {
      await list().getByLabel("Search rooms and souls").focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      return focused();
    }).toBe(1);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await list().getByRole("button", { name: "Hide your rooms" }).click();
    const show = list().getByRole("button", { name: "Show your rooms" });
    expect(await show.getAttribute("aria-expanded")).toBe("false");
    expect(await list().getByRole("link").count()).toBe(0);
    await page.reload();
    await show.click();
    await row(page, "Tabs or spaces?").waitFor();
  });

  it("filters what is unread, hides a room with Undo, and asks a member that leaves one", async () => {
    const { page } = ada;
    await speak(hub, ada.key, "noise", "Such noise.");
    const room = { soul_id: 1, session_token: "club" };
    await hub.post("/api/chat", { ...room, content: "Our club.", is_private: true }, ben.key);
    const { invite } = await hub.post("/api/room-invites", { ...room, uses: 1, days: 1 }, ben.key);
    await hub.post("/api/room-join", { invite: String(invite) }, ada.key);
    await page.goto("/my-chats");
    await row(page, "Our club.").waitFor();
    await page.getByRole("button", { name: "Unread", exact: true }).click();
    await row(page, "Our club.").waitFor({ state: "detached" });
    await row(page, "Such noise.").waitFor();
    await page.getByRole("button", { name: "Unread", exact: true }).click();

    await page.getByRole("button", { name: "Hide: Such noise." }).click();
    await row(page, "Such noise.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "Such noise.").waitFor();

    await page.getByRole("button", { name: "Leave: Our club." }).click();
    await page.getByRole("dialog").getByText("you need another invite").waitFor();
    await row(page, "Our club.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
    await row(page, "Our club.").waitFor({ state: "detached" });
  });

  it("finds souls, too, and begins a conversation with one", async () => {
    const { page } = ada;
    await page.goto("/my-chats");
    await page.getByLabel("Search rooms and souls").fill("chess");
    const found = page.getByRole("region", { name: "Souls found" });
    await found.getByRole("link", { name: /Chess/ }).click();
    await page.waitForURL(/\/chat\/\d+\/[0-9a-f]{32}$/);
    await page.goto("/my-chats");
    await page.getByRole("link", { name: "New conversation" }).click();
    await page.waitForURL(/\/$/);
  });

  it("says why it can't be loaded, and loads again", async () => {
    const { page } = ada;
    await page.route("**/trpc/*chat.sessions*", (route) => route.abort());
    await page.goto("/my-chats");
    await page.getByRole("alert").getByText("No connection to the hub").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByRole("button", { name: "Load the rooms again" }).click();
    await row(page, "Tabs or spaces?").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("is a page of its own on a phone, whose link counts the rooms with news", async () => {
    const mobile = await hub.visitor(phone);
    await signIn(mobile.page, "ada");
    await speak(hub, ben.key, "tabs", "Anyone?");
    await mobile.page.goto("/apps");
    await mobile.page.getByRole("link", { name: "My chats 1 room with news" }).click();
    await row(mobile.page, "Tabs or spaces?").getByRole("img", { name: "2 new" }).waitFor();
    await row(mobile.page, "Tabs or spaces?").click();
    await isLive(mobile.page);
    expect(await list(mobile).count()).toBe(0);
    await eventually(() => countsOf(hub, ada.key, "tabs")).toEqual([0, 0]);
    await mobile.page.goBack();
    await eventually(() => mobile.page.locator(".new-count").count()).toBe(0);
    expect(mobile.complaints).toEqual([]);
    await mobile.context.close();
  });

  it("is not there for a guest, whose page does not ask for it", async () => {
    const guest = await hub.visitor(desktop);
    const asked: string[] = [];
    guest.page.on("request", (request) => asked.push(request.url()));
    const page = await enterRoom(guest, "tabs");
    await page.waitForLoadState("networkidle");
    expect(await list(guest).count()).toBe(0);
    expect(await page.getByRole("link", { name: /My chats/ }).count()).toBe(0);
    expect(asked.filter((url) => /chat\.sessions|rooms\.seen/.test(url))).toEqual([]);
    expect(guest.complaints).toEqual([]);
    await guest.context.close();
  });
});

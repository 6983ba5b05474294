import { beforeAll, expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { enterRoom, eventually, isLive } from "../steps.ts";
import { row, speak } from "./room-list-steps.ts";

/** More than two pages of the log. */
const QUESTIONS = 220;
const desktop = { viewport: { width: 1440, height: 900 } } as const;
const visitors = { ada: { as: "pro", look: desktop } } as const;
const model = { reply: () => "Mm." };

describeBrowser("searching messages", { visitors, model }, (hub, { ada }) => {
  beforeAll(async () => {
    await speak(hub, ada.key, "long", "The heron waits.");
    for (let n = 0; n < QUESTIONS; n++) await speak(hub, ada.key, "long", `Question ${n}?`);
    await speak(hub, ada.key, "short", "A grey HERON, too.");
  });

  const field = () => ada.page.getByRole("main").getByLabel("Search rooms and souls");
  /** The message that the page has led to: its text, and whether it is in the window. */
  const target = () =>
    ada.page.evaluate(() => {
      const line = document.activeElement?.closest(".line");
      const box = document.querySelector(".room__scroll")?.getBoundingClientRect();
      const at = line?.getBoundingClientRect();
      const isInside = at && box && at.top >= box.top - 1 && at.bottom <= box.bottom + 1;
      return [line?.querySelector(".line__said")?.textContent, isInside];
    });

  it("shows excerpts with the found words marked, and the rooms with such a title", async () => {
    const { page } = ada;
    await page.goto("/my-chats");
    await field().fill("heron");
    await page.getByRole("status").getByText("2 messages contain “heron”.").waitFor();
    const found = page.getByRole("region", { name: "Messages found" });
    expect(await found.locator("mark").allTextContents()).toEqual(["HERON", "heron"]);
    expect(await found.getByRole("link").first().textContent()).toContain(
      "ada: A grey HERON, too.",
    );
    const rooms = page.getByRole("list", { name: "Rooms found" });
    expect(await rooms.getByRole("listitem").count()).toBe(2);
    await field().fill("pelican");
    await page.getByText("No message contains “pelican”.").waitFor();
    expect(await rooms.count()).toBe(0);
    await field().fill("h");
    await page.getByText("Type two characters").waitFor();
    await field().fill("Question");
    await page.getByText("50 messages contain “Question”. There may be more").waitFor();
  });

  it("opens the room at the message, although it is far from the end", async () => {
    const { page } = ada;
    await page.goto("/my-chats");
    await field().fill("heron waits");
    await page.getByRole("region", { name: "Messages found" }).getByRole("link").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await isLive(page);
    await eventually(target).toEqual(["The heron waits.", true]);
    await page.waitForURL(/\/chat\/1\/long$/);
    // The reader stays there when something new arrives.
    await speak(hub, ada.key, "long", "Later.");
    await page.getByRole("button", { name: "2 new" }).waitFor();
    expect(await target()).toEqual(["The heron waits.", true]);
    await page.goBack();
    await eventually(() => field().inputValue()).toBe("heron waits");
  });

  it("opens a message of the open room", async () => {
    const page = await enterRoom(ada, "long");
    await field().fill("question 3?");
    await row(page, "Question 3?").click();
    await eventually(target).toEqual(["Question 3?", true]);
    await row(page, "Question 3?").click();
    await eventually(target).toEqual(["Question 3?", true]);
  });

  it("shows the branch of a message, and says when there is no such message", async () => {
    const { page } = ada;
    const { question_id } = await speak(hub, ada.key, "branches", "Up the hill.");
    const room = { soul_id: 1, session_token: "branches" };
    await hub.post("/api/chat", { ...room, content: "Down the hill.", parent_id: 0 }, ada.key);
    await page.goto(`/chat/1/branches?at=${question_id}`);
    await page.getByText("You are looking at another branch.").waitFor();
    await eventually(target).toEqual(["Up the hill.", true]);
    await page.goto("/chat/1/branches?at=999999999");
    await page.getByText("The message is not here").waitFor();
    await page.waitForURL(/\/chat\/1\/branches$/);
  });

  it("says why a search failed, and searches again", async () => {
    const { page } = ada;
    await page.goto("/my-chats");
    await page.route("**/trpc/*chat.search*", (route) => route.abort());
    await field().fill("grey");
    await page.getByRole("alert").getByText("No connection to the hub").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByRole("button", { name: "Search again" }).click();
    await page.getByText("1 message contains “grey”.").waitFor();
  });
});

import type { Page } from "playwright-core";
import { beforeEach, expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { enterRoom, eventually, isLive, passHolder, phone, say } from "../steps.ts";
import { closeMenu, entry, openMenu } from "./message-steps.ts";
import { section, side } from "./panel-steps.ts";

const visitors = {
  ada: { as: "vip" },
  bob: { as: "member" },
  guest: { as: "guest", look: phone },
} as const;
/** The number of the model's replies in the present test. */
let answers = 0;
const model = { reply: () => `Answer ${++answers}.` };

describeBrowser("branches of a room", { visitors, model }, (hub, { ada, bob, guest }) => {
  beforeEach(() => {
    answers = 0;
  });

  const all = () => [ada.page, bob.page, guest.page];
  const replies = (page: Page) => page.locator(".line__reply");
  const questions = (page: Page) => page.locator(".line__said");
  const texts = async (page: Page) =>
    (await page.locator(".line__reply, .line__said").allTextContents()).map((text) => text.trim());
  const reads = (page: Page, ...expected: string[]) =>
    eventually(() => texts(page)).toEqual(expected);
  /** The button below the last reply. */
  const again = (page: Page) =>
    page.locator(".line__foot").getByRole("button", { name: "Answer again" });
  /** How many of the replies offer another one in their menu. */
  const offersAgain = async (page: Page) => {
    let count = 0;
    for (const reply of await page.locator('.line[data-by="assistant"]').all()) {
      const menu = await openMenu(page, reply);
      count += await entry(menu, "Answer again").count();
      await closeMenu(page, menu);
    }
    return count;
  };
  const branch = (page: Page, which: "Earlier" | "Later") =>
    page.getByRole("button", { name: `${which} branch` });
  const elsewhere = (page: Page) => page.getByText("You are looking at another branch.");
  const back = (page: Page) => page.getByRole("button", { name: "Back to the conversation" });
  const send = (page: Page) => page.getByRole("button", { name: "Send", exact: true });
  /** The texts of the model's last prompt, without the system's. */
  const prompt = () => hub.model.requests.at(-1)?.messages.map(({ content }) => content);

  /** Opens a new room for all, with one exchange. */
  async function startRoom(name: string) {
    for (const visitor of [ada, bob, guest]) await enterRoom(visitor, name);
    await say(ada.page, "Why?");
    for (const page of all()) await reads(page, "Why?", "Answer 1.");
  }

  it("shows a regeneration in place of the reply, to everyone, and keeps both", async () => {
    await startRoom("again");
    const finish = hub.model.holdNext();
    await again(ada.page).click();
    for (const page of all()) {
      await page.getByRole("img", { name: "is writing" }).waitFor();
      await eventually(() => questions(page).allTextContents()).toEqual(["Why?"]);
      await eventually(() => replies(page).count()).toBe(1);
    }
    finish();
    for (const page of all()) {
      await reads(page, "Why?", "Answer 2.");
      await page.getByText("2/2", { exact: true }).waitFor();
    }
    await say(ada.page, "And then?");
    await reads(guest.page, "Why?", "Answer 2.", "And then?", "Answer 3.");
    expect(prompt()?.join()).toContain("Answer 2.");
    expect(prompt()?.join()).not.toContain("Answer 1.");
  });

  it("leaves everything as it was after a failed regeneration", async () => {
    await startRoom("failed");
    // The page reads the quota again a moment after a reply.
    await ada.page.reload();
    await isLive(ada.page);
    const today = await section(side(ada.page), "Messages today");
    const left = () => today.locator("strong").textContent();
    const before = await left();
    hub.model.failNext({ status: 400 });
    await again(ada.page).click();
    for (const page of all()) {
      await page.getByRole("alert").getByText("The model did not answer.").waitFor();
      await reads(page, "Why?", "Answer 1.");
      await eventually(() => page.getByRole("button", { name: "Send again" }).count()).toBe(0);
    }
    await eventually(left).toBe(before);
    await bob.page.getByRole("button", { name: "Close" }).click();
    await eventually(() => bob.page.getByRole("alert").count()).toBe(0);
    expect(await ada.page.getByRole("alert").count()).toBe(1);
    const focused = () =>
      bob.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await eventually(focused).toBe("Message actions");
    await ada.page.getByRole("alert").getByRole("button", { name: "Answer again" }).click();
    await reads(bob.page, "Why?", "Answer 2.");
    for (const page of all()) await eventually(() => page.getByRole("alert").count()).toBe(0);
  });

  it("stops a regeneration, and the former reply is back", async () => {
    await startRoom("stopped");
    const finish = hub.model.holdNext();
    await again(ada.page).click();
    for (const page of all()) await reads(page, "Why?", "Answer");
    await ada.page.getByRole("button", { name: "Stop the reply" }).click();
    for (const page of all()) {
      await page.getByText("The reply was stopped. This one stays.").waitFor();
      await page.getByText("stopped here; not kept in the room").waitFor();
      // The received part is below the former reply.
      await reads(page, "Why?", "Answer 1.", "Answer");
    }
    finish();
  });

  it("lets each reader look at another branch, without moving anybody else", async () => {
    await startRoom("look");
    await again(ada.page).click();
    for (const page of all()) await reads(page, "Why?", "Answer 2.");
    await branch(guest.page, "Earlier").tap();
    await reads(guest.page, "Why?", "Answer 1.");
    await elsewhere(guest.page).waitFor();
    await eventually(() => guest.page.getByRole("button", { name: "Continue here" }).count()).toBe(
      0,
    );
    await reads(ada.page, "Why?", "Answer 2.");

    // A new branch moves only the readers that follow the conversation.
    await again(ada.page).click();
    await reads(bob.page, "Why?", "Answer 3.");
    await guest.page.getByText("1/3", { exact: true }).waitFor();
    await reads(guest.page, "Why?", "Answer 1.");
    await back(guest.page).tap();
    await reads(guest.page, "Why?", "Answer 3.");
    await eventually(() => elsewhere(guest.page).count()).toBe(0);
  });

  it("keeps the focus on the switch, and marks its ends", async () => {
    await startRoom("focus");
    await again(ada.page).click();
    await reads(ada.page, "Why?", "Answer 2.");
    await branch(ada.page, "Earlier").focus();
    await ada.page.keyboard.press("Enter");
    await reads(ada.page, "Why?", "Answer 1.");
    const focused = () =>
      ada.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await eventually(() => focused()).toBe("Earlier branch");
    await eventually(() => branch(ada.page, "Earlier").getAttribute("aria-disabled")).toBe("true");
    await ada.page.keyboard.press("Enter");
    await reads(ada.page, "Why?", "Answer 1.");
  });

  it("moves the conversation for everyone with “Continue here”", async () => {
    await startRoom("continue");
    await again(ada.page).click();
    await reads(ada.page, "Why?", "Answer 2.");
    await say(ada.page, "And then?");
    for (const page of all()) await reads(page, "Why?", "Answer 2.", "And then?", "Answer 3.");
    await branch(ada.page, "Earlier").click();
    await ada.page.getByRole("button", { name: "Continue here" }).click();
    for (const page of all()) {
      await reads(page, "Why?", "Answer 1.");
      await eventually(() => elsewhere(page).count()).toBe(0);
    }
    await say(bob.page, "Really?");
    for (const page of all()) await reads(page, "Why?", "Answer 1.", "Really?", "Answer 4.");
    await ada.page.reload();
    await isLive(ada.page);
    await reads(ada.page, "Why?", "Answer 1.", "Really?", "Answer 4.");
  });

  it("sends the owner's message to the branch on the screen, and asks others to go back", async () => {
    await startRoom("send");
    await again(ada.page).click();
    for (const page of all()) await reads(page, "Why?", "Answer 2.");
    await branch(bob.page, "Earlier").click();
    await bob.page.getByLabel(/^Message to/).fill("Here?");
    await eventually(() => send(bob.page).isDisabled()).toBe(true);
    await bob.page.getByText("Only the owner of the room can move it here.").waitFor();
    await back(bob.page).click();
    await eventually(() => send(bob.page).isDisabled()).toBe(false);
    await bob.page.getByLabel(/^Message to/).fill("");

    await branch(ada.page, "Earlier").click();
    await say(ada.page, "And here?");
    for (const page of all()) {
      await reads(page, "Why?", "Answer 1.", "And here?", "Answer 3.");
      await eventually(() => elsewhere(page).count()).toBe(0);
    }
    expect(prompt()?.join()).not.toContain("Answer 2.");
  });

  it("sends a waiting message to the branch where it was written", async () => {
    await startRoom("waits");
    await again(ada.page).click();
    for (const page of all()) await reads(page, "Why?", "Answer 2.");
    await branch(ada.page, "Earlier").click();
    const finish = hub.model.holdNext();
    await say(ada.page, "First?");
    await say(ada.page, "Second?");
    await ada.page.getByText("Waits for the reply to your message above.").waitFor();
    await branch(ada.page, "Later").click();
    await ada.page.getByText("Answer 2.", { exact: true }).waitFor();
    finish();
    const expected = ["Why?", "Answer 1.", "First?", "Answer 3.", "Second?", "Answer 4."];
    await reads(bob.page, ...expected);
  });

  it("offers others to regenerate the reply to their own last question only", async () => {
    await startRoom("rights");
    await eventually(() => again(bob.page).count()).toBe(0);
    await eventually(() => offersAgain(bob.page)).toBe(0);
    await say(bob.page, "And I?");
    for (const page of [ada.page, bob.page]) {
      await reads(page, "Why?", "Answer 1.", "And I?", "Answer 2.");
      await eventually(() => again(page).count()).toBe(1);
    }
    expect(await offersAgain(ada.page)).toBe(2);
    expect(await offersAgain(bob.page)).toBe(1);
    await again(bob.page).click();
    for (const page of all()) await reads(page, "Why?", "Answer 1.", "And I?", "Answer 3.");
    await say(guest.page, "Hm.");
    await reads(bob.page, "Why?", "Answer 1.", "And I?", "Answer 3.", "Hm.", "Answer 4.");
    await eventually(() => again(bob.page).count()).toBe(0);
    expect(await offersAgain(bob.page)).toBe(0);
    await eventually(() => again(guest.page).count()).toBe(1);
  });

  it("shows a question in progress on the path where its asker sees it", async () => {
    await startRoom("two");
    const finishFirst = hub.model.holdNext();
    await say(ada.page, "First?");
    await bob.page.getByText("First?").waitFor();
    const finishSecond = hub.model.holdNext();
    await say(bob.page, "Second?");
    await ada.page.getByText("Second?").waitFor();
    finishFirst();
    for (const page of all()) {
      await eventually(() => questions(page).allTextContents()).toEqual([
        "Why?",
        "First?",
        "Second?",
      ]);
    }
    finishSecond();
    for (const page of all()) {
      await reads(page, "Why?", "Answer 1.", "First?", "Answer 2.", "Second?", "Answer 3.");
    }
  });

  it("finds the path's end in a long room, although the newest messages are elsewhere", async () => {
    const key = await passHolder(hub, "linus", "pro");
    const room = { soul_id: 1, session_token: "long-ago" };
    const speak = (content: string) => hub.post("/api/chat", { ...room, content }, key);
    const first = await speak("First");
    const second = await speak("Second");
    for (let count = 3; count <= 104; count++) await speak(`Question ${count}`);
    await hub.put("/api/room", { ...room, active_id: second.message_id }, key);
    await enterRoom(bob, room.session_token);
    await reads(bob.page, "First", "Answer 1.", "Second", "Answer 2.");
    await eventually(() => bob.page.getByText("Loading earlier messages").count()).toBe(0);

    // A branch at the beginning: nothing of the abandoned messages is shown above it.
    await hub.post("/api/chat", { ...room, content: "Again", parent_id: first.message_id }, key);
    // The summaries of the long conversation were replies of the model, too.
    await reads(bob.page, "First", "Answer 1.", "Again", `Answer ${answers}.`);
    await bob.page.getByText("2/2", { exact: true }).waitFor();
    await branch(bob.page, "Earlier").click();
    await eventually(() => questions(bob.page).count()).toBe(104);
    expect((await questions(bob.page).allTextContents()).slice(0, 3)).toEqual([
      "First",
      "Second",
      "Question 3",
    ]);
  });
});

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { signIn } from "../sign-in.ts";
import { enterRoom, eventually, phone, replies, say } from "../steps.ts";
import {
  ask,
  button,
  closeMenu,
  entry,
  line,
  menuNamed,
  openMenu,
  press,
  repeating,
  startRoom,
} from "./message-steps.ts";

const visitors = {
  ada: { as: "vip" },
  bob: { as: "vip" },
  grace: { as: "member", look: phone },
  guest: { as: "guest", look: phone },
} as const;
const model = { reply: repeating };

describeBrowser("editing messages", { visitors, model }, (hub, { ada, bob, grace, guest }) => {
  const said = (page: Page) => page.locator(".line__said").allTextContents();
  const editor = (page: Page) => page.getByLabel("Text of the message");

  it("changes a message in its place, and says so to everyone", async () => {
    await startRoom("edit", ada, grace);
    await ask(ada, "Wich star?");
    await press(ada.page, /Wich star\?$/, "Edit message");
    await eventually(() => editor(ada.page).inputValue()).toBe("Wich star?");
    await eventually(() => button(ada.page, "Save").isDisabled()).toBe(true);
    await editor(ada.page).fill("Which star?");
    await button(ada.page, "Save").click();
    for (const { page } of [ada, grace]) {
      await eventually(() => said(page)).toEqual(["Which star?"]);
      await line(page, "Which star?").getByText("edited", { exact: true }).waitFor();
    }
    await eventually(() => grace.page.locator(".line__reply").count()).toBe(1);
  });

  it("lets the owner edit a reply, under the owner's name", async () => {
    await startRoom("edit-reply", ada, grace);
    await ask(ada, "Hello");
    await press(ada.page, "You said: Hello", "Edit message");
    await eventually(() => button(ada.page, "Save and ask again").count()).toBe(0);
    await editor(ada.page).fill("You waved.");
    await editor(ada.page).press("Control+Enter");
    for (const { page } of [ada, grace]) {
      await line(page, "You waved.")
        .getByText(/edited by ada$/)
        .waitFor();
    }
  });

  it("asks a rewritten question beside the former one", async () => {
    await startRoom("rewrite", ada, grace);
    await ask(ada, "First");
    await ask(ada, "Second");
    await press(ada.page, /Second$/, "Edit message");
    await editor(ada.page).fill("Another");
    const finish = hub.model.holdNext();
    await button(ada.page, "Save and ask again").click();
    for (const { page } of [ada, grace]) {
      await page.getByRole("img", { name: "is writing" }).waitFor();
      await eventually(() => said(page)).toEqual(["First", "Another"]);
    }
    finish();
    for (const { page } of [ada, grace]) {
      await replies(page).filter({ hasText: "You said: Another" }).waitFor();
      await eventually(() => said(page)).toEqual(["First", "Another"]);
      await line(page, /Another/)
        .first()
        .getByText("2/2", { exact: true })
        .waitFor();
    }
    await press(ada.page, /First/, "Edit message");
    await editor(ada.page).fill("From the start");
    await button(ada.page, "Save and ask again").click();
    await eventually(() => said(grace.page)).toEqual(["From the start"]);
  });

  it("keeps the text of a rewritten question whose reply failed", async () => {
    await startRoom("rewrite-failed", ada);
    await ask(ada, "First");
    await press(ada.page, /First$/, "Edit message");
    await editor(ada.page).fill("Another");
    hub.model.failNext({ status: 400 });
    await button(ada.page, "Save and ask again").click();
    await button(ada.page, "Send again").waitFor();
    await eventually(() => said(ada.page)).toEqual(["First", "Another"]);
    await button(ada.page, "Send again").click();
    await replies(ada.page).filter({ hasText: "You said: Another" }).waitFor();
    await eventually(() => said(ada.page)).toEqual(["Another"]);
    hub.model.failNext({ status: 400 });
    await say(ada.page, "In vain");
    await button(ada.page, "Remove").click();
    await eventually(() => said(ada.page)).toEqual(["Another"]);
    await eventually(() => ada.page.getByRole("alert").count()).toBe(0);
  });

  it("shows the present text beside the draft if the message changed meanwhile", async () => {
    await startRoom("conflict", ada);
    await ask(ada, "One");
    const other = await hub.visitor();
    await signIn(other.page, "ada");
    await enterRoom(other, "conflict");
    await press(ada.page, /One$/, "Edit message");
    await editor(ada.page).fill("Mine");
    await press(other.page, /One$/, "Edit message");
    await editor(other.page).fill("Theirs");
    await button(other.page, "Save").click();
    await ada.page.getByText("The message changed while you were editing.").waitFor();
    await ada.page.locator(".line__present").getByText("Theirs").waitFor();
    await eventually(() => editor(ada.page).inputValue()).toBe("Mine");
    await button(ada.page, "Replace it with mine").click();
    await eventually(() => said(other.page)).toEqual(["Mine"]);
    await other.context.close();
  });

  it("says that the message was removed meanwhile, and keeps the draft", async () => {
    await startRoom("edit-removed", ada, grace);
    await ask(ada, "Hello");
    await ask(grace, "My address");
    await press(grace.page, /My address$/, "Edit message");
    await editor(grace.page).fill("My old address");
    // A reply that arrives later would move the message away from the mouse.
    await replies(ada.page).filter({ hasText: "You said: My address" }).waitFor();
    await press(ada.page, /My address$/, "Remove message");
    await button(ada.page, "Remove it").click();
    await grace.page.getByText("The message was removed while you were editing.").waitFor();
    await eventually(() => editor(grace.page).inputValue()).toBe("My old address");
    await eventually(() => button(grace.page, "Replace it with mine").count()).toBe(0);
    await button(grace.page, "Discard mine").tap();
    await grace.page.getByText("[removed]", { exact: true }).waitFor();
  });

  it("stays in place while others write", async () => {
    await startRoom("edit-place", ada, bob);
    await ask(ada, "Hello");
    await press(ada.page, "You said: Hello", "Edit message");
    const top = async () => Math.round((await editor(ada.page).boundingBox())?.y ?? 0);
    const before = await top();
    await ask(bob, Array(400).fill("word").join(" "));
    await ask(bob, "The last one");
    await line(ada.page, "You said: The last one").waitFor();
    expect(await top()).toBe(before);
  });

  it("is cancelled by Escape, which brings the focus back", async () => {
    await startRoom("escape", ada);
    await ask(ada, "Stay");
    const more = button(line(ada.page, /Stay$/).first(), "Message actions");
    await more.press("Enter");
    await entry(menuNamed(ada.page, "Message actions"), "Edit message").press("Enter");
    await editor(ada.page).fill("Go");
    await editor(ada.page).press("Escape");
    await eventually(() => said(ada.page)).toEqual(["Stay"]);
    await eventually(() => more.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it("offers a guest to ask its last question again, but not to change a text", async () => {
    await startRoom("guest", ada, guest);
    await ask(ada, "Hello");
    await ask(guest, "Wich?");
    const menu = await openMenu(guest.page, /Wich\?$/);
    await eventually(() => entry(menu, "Remove message").count()).toBe(0);
    await entry(menu, "Edit message").tap();
    await eventually(() => button(guest.page, "Save").count()).toBe(0);
    await editor(guest.page).fill("Which?");
    await button(guest.page, "Ask again").tap();
    for (const { page } of [ada, guest]) {
      await eventually(() => said(page)).toEqual(["Hello", "Which?"]);
    }
    await ask(ada, "Go on");
    await line(guest.page, "You said: Go on").waitFor();
    const earlier = await openMenu(guest.page, /Which\?/);
    await eventually(() => entry(earlier, "Edit message").count()).toBe(0);
    await closeMenu(guest.page, earlier);
  });
});

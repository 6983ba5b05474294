import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { startPrivate } from "../rooms/composer-steps.ts";
import {
  ask,
  button,
  closeMenu,
  entry,
  line,
  openMenu,
  press,
  repeating,
  startRoom,
} from "../rooms/message-steps.ts";
import { sectionOf, side } from "../rooms/panel-steps.ts";
import { eventually, isLive, people, phone, say } from "../steps.ts";
import { choose, linkIn } from "./menu-steps.ts";

const visitors = {
  ada: { as: "vip" },
  bob: { as: "vip" },
  grace: { as: "vip" },
  guest: { as: "guest", look: phone },
} as const;
const model = { reply: repeating };

describeBrowser("people of a room", { visitors, model }, (hub, { ada, bob, grace, guest }) => {
  const heading = (page: Page, name: string) => page.getByRole("heading", { name });
  const composer = (page: Page) => page.getByLabel(/^Message to/);

  async function startPrivateRoom(name: string) {
    await startRoom(name, ada);
    await startPrivate(ada.page);
    await ask(ada, "Only us");
  }

  /** The part of the panel with the rights of the room and its people. */
  const rights = () => sectionOf(side(ada.page), "Who may enter");
  const openRights = async () => {
    if ((await rights().getAttribute("open")) === null) await choose(ada.page, "Who may enter");
  };

  /** Changes the rights of a person, by the menu of the person. */
  async function change(person: string | RegExp, action: string) {
    await openRights();
    await rights().getByRole("button", { name: person }).click();
    const menu = ada.page.getByRole("menu", { name: person });
    await entry(menu, action).click();
    await menu.waitFor({ state: "detached" });
  }

  it("an invite of one use makes one of two people a member", async () => {
    await startPrivateRoom("invited");
    const room = ada.page.url();
    await openRights();
    await button(ada.page, "Create an invite").click();
    await rights().getByText("1 use of 1 left").waitFor();
    const url = await linkIn(rights());
    expect(url).toMatch(new RegExp(`^${hub.url}/join/`));

    const html = await (await fetch(url)).text();
    expect(html).toContain('<meta name="robots" content="noindex" />');
    for (const { page } of [bob, grace]) {
      await page.goto(url);
      await heading(page, "You are invited to a private room").waitFor();
    }
    // Opening the invite has not joined.
    await grace.page.goto(room);
    await heading(grace.page, "This conversation is private").waitFor();
    await grace.page.goto(url);
    await button(bob.page, "Join the room").click();
    await bob.page.waitForURL(room);
    await line(bob.page, "You said: Only us").waitFor();
    await button(grace.page, "Join the room").click();
    await grace.page.getByText("This invite no longer works").waitFor();
    await ask(bob, "Thank you");
    await line(ada.page, "You said: Thank you").waitFor();

    await change(/^Change: bob/, "End membership");
    await heading(bob.page, "This conversation is private").waitFor();
  });

  it("a withdrawn invite works no longer, and a guest signs in first", async () => {
    await startPrivateRoom("withdrawn");
    await openRights();
    await button(ada.page, "Create an invite").click();
    await rights().getByText("1 use of 1 left").waitFor();
    const url = await linkIn(rights());
    await guest.page.goto(url);
    await heading(guest.page, "You are invited to a private room").waitFor();
    const next = await guest.page
      .getByRole("link", { name: "Sign in" })
      .last()
      .getAttribute("href");
    expect(decodeURIComponent(next ?? "")).toContain(new URL(url).pathname);
    const question = ada.page.getByRole("dialog", { name: "Withdraw this link?" });
    await button(ada.page, "Withdraw").click();
    await question.waitFor();
    // The dialog of the room below it stays open.
    await ada.page.keyboard.press("Escape");
    await button(ada.page, "Withdraw").click();
    await button(question, "Withdraw").click();
    await eventually(() => button(ada.page, "Withdraw").count()).toBe(0);
    await bob.page.goto(url);
    await button(bob.page, "Join the room").click();
    await bob.page.getByText("This invite no longer works").waitFor();
    await bob.page.goto("/join/x");
    await button(bob.page, "Join the room").click();
    await bob.page.getByText("This invite no longer works").waitFor();
  });

  it("a banned sender is cut off on the page, until the owner lifts the ban", async () => {
    await startRoom("ban", ada);
    await ask(ada, "Welcome");
    await startRoom("ban", guest, bob);
    await ask(guest, "Spam");
    // Other members have no such action.
    const foreign = await openMenu(bob.page, /Spam$/);
    await entry(foreign, "React with 👍").waitFor();
    expect(await entry(foreign, "Mute or ban the sender").count()).toBe(0);
    await closeMenu(bob.page, foreign);
    await press(ada.page, /Spam$/, "Mute or ban the sender");
    await button(ada.page, "Ban").click();
    const isCutOff = () => heading(guest.page, "You can't enter this conversation").waitFor();
    await isCutOff();
    await guest.page.getByText(/^Its owner has banned you until .+ \(in .+\)\.$/).waitFor();
    await guest.page.reload();
    await isCutOff();
    await change(/^Change: Anonymous/, "Lift the ban");
    await guest.page.reload();
    await isLive(guest.page);
    await line(guest.page, "You said: Spam").waitFor();
  });

  it("a muted person reads on and learns until when, and keeps the draft", async () => {
    await startRoom("mute", ada, bob);
    await ask(ada, "Welcome");
    await ask(bob, "Loud");
    await change("Change: bob", "Mute or ban");
    await rights().getByLabel("For", { exact: true }).selectOption("10 minutes");
    await button(rights(), "Mute").click();
    await rights()
      .getByText(/^muted for 9 minutes|^muted for 10 minutes/)
      .waitFor();
    // The page tells the hub of typing at most once in 2 s. The hub's refusal shows the mute.
    await bob.page.waitForTimeout(2_000);
    await composer(bob.page).fill("But");
    const note = bob.page.getByText(
      /The owner of this room has muted you until .+\(in \d+ minutes\)/,
    );
    await note.waitFor();
    expect(await composer(bob.page).count()).toBe(0);
    await ask(ada, "Quiet now");
    await line(bob.page, "You said: Quiet now").waitFor();
    await bob.page.reload();
    await note.waitFor();
    // A withheld right has no button.
    const menu = await openMenu(bob.page, "You said: Quiet now");
    await entry(menu, "Copy reply").waitFor();
    expect(await entry(menu, "React with").count()).toBe(0);
    await closeMenu(bob.page, menu);
    await change(/^Change: bob/, "Let talk again");
    // The page of a muted person finds out by itself.
    await composer(bob.page).waitFor();
    expect(await composer(bob.page).inputValue()).toBe("But");
  });

  it("the owner chooses who may write, and the others see why they can't", async () => {
    await startRoom("talk", ada, bob, guest);
    await ask(ada, "Welcome");
    await composer(guest.page).waitFor();
    await openRights();
    await ada.page.getByLabel("Who may write").selectOption("People with an account");
    await guest.page.getByText("Only people with an account may write here.").waitFor();
    await guest.page.getByRole("link", { name: "Create an account" }).first().waitFor();
    expect(await composer(guest.page).count()).toBe(0);
    expect(await composer(bob.page).count()).toBe(1);
    await ada.page.getByLabel("Who may write").selectOption("Only me");
    await bob.page.getByText("Only the owner of this room may write here.").waitFor();
    await ada.page.getByLabel("Who may write").selectOption("Everyone who can enter");
    await composer(guest.page).waitFor();
    await composer(bob.page).waitFor();
  });

  it("a guest chooses a name, which everyone sees", async () => {
    await startRoom("names", ada);
    await ask(ada, "Welcome");
    await startRoom("names", guest);
    const { page } = guest;
    await choose(page, "Choose your name");
    await page.getByLabel("Your name", { exact: true }).fill("ADA");
    await button(page, "Save").click();
    await page.getByText("That username is taken").waitFor();
    await page.getByLabel("Your name", { exact: true }).fill("Robin");
    await button(page, "Save").click();
    await page.getByText("You are shown as Robin (guest).").waitFor();
    await isLive(page);
    await eventually(() => people(ada.page).allTextContents()).toContain("RRobin (guest)guest");
    await say(page, "It's me");
    const mine = line(ada.page, /It's me$/).first();
    await mine.getByText("Robin (guest)").waitFor();
    expect(await mine.locator(".person-avatar").getAttribute("data-kind")).toBe("guest");
    await line(page, /It's me$/)
      .first()
      .getByText("(you)")
      .waitFor();
    await page.reload();
    await isLive(page);
    await choose(page, "Choose your name");
    await button(page, "Be anonymous again").click();
    await eventually(async () => (await people(ada.page).allTextContents()).join()).toContain(
      "Anonymous #",
    );
    for (const { complaints } of [ada, bob, grace, guest]) expect(complaints).toEqual([]);
  });
});

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { signIn } from "../sign-in.ts";
import { eventually, isLive, phone, replied, say } from "../steps.ts";
import { isOn, offers, openOptions, turn } from "./composer-steps.ts";
import { button, closeMenu, entry, line, openMenu, press } from "./message-steps.ts";
import { section, side } from "./panel-steps.ts";
import { describeSharedRoom } from "./shared-room.ts";

/** The smallest height of an entry on a touch screen, in px. */
const TOUCH_PX = 44;

/** Messages without a reply, for the people of a room or also for its soul (0041). */
describeSharedRoom("off the record", {}, (shared) => {
  const prompts = () => JSON.stringify(shared.hub.model.requests.map(({ body }) => body));
  const mark = (page: Page, text: string) =>
    line(page, text).getByText("off the record", { exact: true });

  it("people read a message with its mark, and no soul ever does", async () => {
    const { ada, grace, guest, hub } = shared;
    await shared.open("canary", "both", ada, grace, guest);
    const { page } = ada;
    const calls = hub.model.requests.length;
    await turn(page, "Off the record");
    await page.getByText("People here read it, a soul never does. Costs nothing.").waitFor();
    await offers(page, "Deep think", false);
    await say(page, "The canary @ben sings.");
    for (const person of [ada, grace, guest]) await mark(person.page, "The canary").waitFor();
    await turn(guest.page, "Off the record");
    await say(guest.page, "The canary of a guest.");
    await mark(page, "The canary of a guest.").waitFor();
    // The switch stays on until it is turned off.
    expect(await isOn(page, "Off the record")).toBe(true);
    expect(hub.model.requests).toHaveLength(calls);
    await turn(page, "Off the record");
    await say(page, "What did we say, @orla and @ben?");
    await replied(page, 3);
    await press(page, line(page, "Orla answers this.").last(), "Answer again");
    await eventually(async () => hub.model.requests.length).toBe(calls + 3);
    await replied(page, 2);
    expect(prompts()).not.toContain("canary");
    expect(prompts()).toContain("What did we say");
  });

  it("a message offers neither another reply nor another question", async () => {
    const { ada } = shared;
    const { page } = ada;
    await shared.open("no-reply", "orla", ada);
    await turn(page, "Off the record");
    await say(page, "Between us.");
    await mark(page, "Between us.").waitFor();
    await turn(page, "Off the record");
    const menu = await openMenu(page, "Between us.");
    expect(await entry(menu, "Answer again").count()).toBe(0);
    await entry(menu, "Edit message").click();
    await page.getByLabel("Text of the message").fill("Between you and me.");
    expect(await button(page, "Save and ask again").count()).toBe(0);
    await button(page, "Save").click();
    await mark(page, "Between you and me.").waitFor();
    // The question before it can still be answered again.
    const before = await openMenu(page, "Orla answers this.");
    await entry(before, "Answer again").waitFor();
    await closeMenu(page, before);
  });

  it("the switch and a message that was not sent survive a reload", async () => {
    const { ada, guest, hub } = shared;
    const { page } = ada;
    await shared.open("reloaded", "orla", ada, guest);
    const calls = hub.model.requests.length;
    await turn(page, "Off the record");
    await page.getByLabel(/^Message to/).fill("A draft among us.");
    await page.reload();
    await isLive(page);
    expect(await isOn(page, "Off the record")).toBe(true);
    expect(await page.getByLabel(/^Message to/).inputValue()).toBe("A draft among us.");
    await page.route("**/trpc/chat.say*", (route) => route.abort());
    await page.getByLabel(/^Message to/).press("Enter");
    await button(page, "Send again").waitFor();
    await mark(page, "A draft among us.").waitFor();
    await page.unroute("**/trpc/chat.say*");
    await page.reload();
    await isLive(page);
    await mark(page, "A draft among us.").waitFor();
    await button(page, "Send again").click();
    await mark(guest.page, "A draft among us.").waitFor();
    await button(page, "Send again").waitFor({ state: "detached" });
    // A failed message goes back into the composer with its kind.
    await turn(page, "Off the record");
    await page.route("**/trpc/chat.send*", (route) => route.abort());
    await say(page, "A question.");
    await button(page, "Send again").waitFor();
    await turn(page, "Off the record");
    await button(page, "Edit").click();
    expect(await isOn(page, "Off the record")).toBe(false);
    await page.unroute("**/trpc/chat.send*");
    expect(hub.model.requests).toHaveLength(calls);
  });

  it("a message without a reply is read by the soul with the next question", async () => {
    const { ada, grace, hub } = shared;
    const { page } = ada;
    await shared.open("remark", "orla", ada, grace);
    const calls = hub.model.requests.length;
    await turn(page, "No reply");
    await page.getByText("A soul reads it later. Costs nothing.").waitFor();
    await say(page, "Grace, look at this.");
    await line(grace.page, "Grace, look at this.").waitFor();
    expect(await mark(grace.page, "Grace, look at this.").count()).toBe(0);
    expect(hub.model.requests).toHaveLength(calls);
    await turn(page, "No reply");
    await say(page, "What do you think?");
    await replied(page, 2);
    expect(JSON.stringify(hub.model.requests.at(-1)?.messages)).toContain("Grace, look at this.");
  });

  it("a room that is about to be private offers no message off the record", async () => {
    const { ada } = shared;
    const { page } = ada;
    await shared.open("secret", "orla", ada);
    await turn(page, "Off the record");
    const rights = await section(side(page), "Who may enter");
    await button(rights, "Make this room private…").click();
    await button(page, "Yes, with my next message").click();
    await eventually(() => isOn(page, "Private from now on")).toBe(true);
    expect(await isOn(page, "Off the record")).toBe(false);
    await offers(page, "Off the record", false);
  });

  it("fits a phone", async () => {
    const { page, context } = await shared.hub.visitor(phone);
    await signIn(page, "ada");
    await page.goto(`/chat/${shared.orla}/canary`);
    await isLive(page);
    const option = entry(await openOptions(page), "Off the record");
    expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(TOUCH_PX);
    await option.tap();
    const chip = await button(page, "Off the record: turn off").boundingBox();
    expect(chip?.height).toBeGreaterThanOrEqual(TOUCH_PX);
    await page.getByLabel(/^Message to/).fill("From a phone.");
    await button(page, "Send off the record").tap();
    await mark(page, "From a phone.").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await context.close();
  });
});

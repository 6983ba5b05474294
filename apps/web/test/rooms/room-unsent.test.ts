import { expect, it } from "vitest";
import type { Visitor } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";
import { enterRoom, eventually, replied, replies, say, useUpQuota } from "../steps.ts";
import { isOn, offers, startPrivate, turn } from "./composer-steps.ts";
import { closeMenu, entry, menuNamed, openMenu } from "./message-steps.ts";
import { section, side } from "./panel-steps.ts";

const visitors = { ada: { as: "vip" }, guest: { as: "guest" } } as const;
const model = { reply: () => "My soul says much." };

describeBrowser("what a room does not keep", { visitors, model }, (hub, { ada, guest }) => {
  const button = ({ page }: Visitor, name: string) =>
    page.getByRole("button", { name, exact: true });
  const lines = async ({ page }: Visitor) => {
    const texts = await page.locator(".line :is(.line__said, .line__reply)").allTextContents();
    return texts.map((text) => text.trim());
  };
  const whole = ({ page }: Visitor, count: number) => replied(page, count);

  it("keeps a failed message where it was sent, until it is removed", async () => {
    await enterRoom(ada, "in-place");
    await say(ada.page, "First.");
    await whole(ada, 1);
    hub.model.failNext({ status: 400 });
    await say(ada.page, "Failed.");
    await button(ada, "Send again").waitFor();
    await say(ada.page, "Later.");
    await whole(ada, 2);
    const reply = "My soul says much.";
    const all = ["First.", reply, "Failed.", "Later.", reply];
    await eventually(() => lines(ada)).toEqual(all);
    await ada.page.reload();
    await eventually(() => lines(ada)).toEqual(all);
    await button(ada, "Remove").click();
    await eventually(() => lines(ada)).toEqual(all.filter((line) => line !== "Failed."));
  });

  it("keeps the part of a stopped reply, to copy, and calls it no error", async () => {
    await enterRoom(ada, "stopped");
    await enterRoom(guest, "stopped");
    const finish = hub.model.holdNext();
    await say(ada.page, "Tell me.");
    for (const { page } of [ada, guest]) await page.getByText("My", { exact: true }).waitFor();
    await button(ada, "Stop the reply").click();
    for (const visitor of [ada, guest]) {
      await visitor.page.getByText("stopped here; not kept in the room").waitFor();
      await eventually(() => lines(visitor)).toEqual(["Tell me.", "My"]);
      expect(await visitor.page.getByRole("alert").count()).toBe(0);
    }
    finish();
    // The conversation is still shown to its end.
    expect(await button(ada, "Newest").count()).toBe(0);
    await ada.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(ada, "Copy").click();
    const clipboard = () => ada.page.evaluate(() => navigator.clipboard.readText());
    await eventually(clipboard).toContain("My");
    await say(guest.page, "And I?");
    await whole(ada, 1);
    // The part stays above the later messages.
    for (const visitor of [ada, guest]) {
      await eventually(() => lines(visitor)).toEqual([
        "Tell me.",
        "My",
        "And I?",
        "My soul says much.",
      ]);
      await button(visitor, "Remove").click();
      await eventually(() => lines(visitor)).toEqual(["And I?", "My soul says much."]);
    }
  });

  it("keeps the part of a reply that broke off, with its error", async () => {
    await enterRoom(ada, "broken");
    hub.model.failNext("cut");
    await say(ada.page, "Tell me.");
    await button(ada, "Send again").waitFor();
    await ada.page.getByRole("alert").getByText("The model did not answer.").waitFor();
    await ada.page.getByText("stopped here; not kept in the room").waitFor();
    await button(ada, "Send again").click();
    await whole(ada, 1);
    await eventually(() => lines(ada)).toEqual(["Tell me.", "My soul says much."]);
  });

  it("shows how long a slow model thinks, and stops it", async () => {
    await enterRoom(ada, "slow");
    hub.model.failNext("hang");
    await say(ada.page, "Think.");
    await ada.page.getByText(/^Still thinking… \d+ s$/).waitFor();
    await button(ada, "Stop").click();
    await ada.page.getByText("The reply was stopped.").waitFor();
    await eventually(() => ada.page.getByText(/^Still thinking/).count()).toBe(0);
  });

  it("counts a message at once, and sends nothing that costs on a used-up quota", async () => {
    await enterRoom(guest, "quota");
    const today = await section(side(guest.page), "Messages today");
    const left = today.getByText(/^\d+ of 5 left$/);
    const before = Number((await left.textContent())?.[0]);
    const finish = hub.model.holdNext();
    await say(guest.page, "Count.");
    await eventually(() => left.textContent()).toBe(`${before - 1} of 5 left`);
    finish();
    await whole(guest, 1);
    const poor = await hub.visitor();
    await enterRoom(poor, "used-up");
    await say(poor.page, "One.");
    await whole(poor, 1);
    await useUpQuota(poor.page);
    await say(poor.page, "One more.");
    await poor.page.getByText("You have used today's 5 messages.").waitFor();
    expect(await button(poor, "Send again").count()).toBe(0);
    expect(await button(poor, "Edit").count()).toBe(1);
    // The page knows now that nothing can be sent, and until when.
    await poor.page.getByLabel(/^Message to/).fill("And one more.");
    await poor.page.getByText(/^No messages left today\. New ones at .+ \(in .+\)\.$/).waitFor();
    expect(await button(poor, "Send").isDisabled()).toBe(true);
    await poor.page.keyboard.press("Enter");
    expect(await poor.page.getByLabel(/^Message to/).inputValue()).toBe("And one more.");
    await eventually(() => button(poor, "Answer again").count()).toBe(0);
    const menu = await openMenu(poor.page, replies(poor.page));
    await menu.getByText("To answer again, wait for new messages").waitFor();
    expect(await entry(menu, "Answer again").count()).toBe(0);
    await closeMenu(poor.page, menu);
    // A message without a reply costs nothing.
    await turn(poor.page, "Off the record");
    await button(poor, "Send off the record").click();
    await poor.page.locator(".line[data-off-record=true]").waitFor();
    await poor.context.close();
  });

  it("offers Private to no second person while the first reply is written", async () => {
    await enterRoom(ada, "taken");
    await enterRoom(guest, "taken");
    await offers(guest.page, "Private chat", true);
    const finish = hub.model.holdNext();
    await say(ada.page, "Mine.");
    await guest.page.getByText("Mine.", { exact: true }).waitFor();
    await offers(guest.page, "Private chat", false);
    await offers(ada.page, "Private chat", true);
    finish();
    await whole(guest, 1);
    // After the first message, the panel has the button.
    await offers(ada.page, "Private chat", false);
    const button = "Make this room private…";
    const rights = await section(side(ada.page), "Who may enter");
    await rights.getByRole("button", { name: button }).waitFor();
    const others = await section(side(guest.page), "Who may enter");
    expect(await others.getByRole("button", { name: button }).count()).toBe(0);
  });

  it("offers no link to a private room", async () => {
    const { page } = ada;
    await enterRoom(ada, "no-link");
    const invites = async () => {
      await button(ada, "Room menu").click();
      const menu = menuNamed(page, "Room menu");
      await menu.waitFor();
      const found = await entry(menu, "Invite into this room").count();
      await closeMenu(page, menu);
      return found + (await button(ada, "Invite people").count());
    };
    expect(await invites()).toBe(2);
    await startPrivate(page);
    expect(await isOn(page, "Private from now on")).toBe(true);
    await say(page, "Only me.");
    await whole(ada, 1);
    await eventually(invites).toBe(0);
    expect(await isOn(page, "Private from now on")).toBe(false);
  });
});

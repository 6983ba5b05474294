import type { Page } from "playwright-core";
import { beforeEach, expect, it } from "vitest";
import type { Visitor } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";
import { choose, menuOf } from "../sharing/menu-steps.ts";
import { signIn } from "../sign-in.ts";
import { eventually, isLive, phone, say, visit } from "../steps.ts";
import { openDrawer, section, side } from "./panel-steps.ts";

/** The smallest height of a button on a touch screen, in px. */
const TOUCH_PX = 40;
const visitors = { grace: { as: "vip" }, ada: { as: "vip" }, guest: { as: "guest" } } as const;

/** Versions of a soul in a room (decisions §5, Versions and provenance), for owner and others. */
describeBrowser("the version of a soul in a room", { visitors }, (hub, { grace, ada, guest }) => {
  let room: { soul_id: number; session_token: string };

  beforeEach(async () => {
    const soul = { title: "Pilot", content: "I am number 1." };
    const { id } = await hub.post("/api/souls", soul, grace.key);
    room = { soul_id: Number(id), session_token: "lobby" };
    await hub.post("/api/chat", { ...room, content: "Ahoy." }, ada.key);
  });

  const putVersion = (number: number, note?: string) =>
    hub.put(`/api/soul/${room.soul_id}`, { content: `I am number ${number}.`, note }, grace.key);
  const pin = (version: number | null) =>
    hub.put("/api/room", { ...room, souls: [{ soul_id: room.soul_id, version }] }, ada.key);
  const enter = async ({ page }: Visitor) => {
    await visit(page, `/chat/${room.soul_id}/lobby`);
    await isLive(page);
    return page;
  };
  /** The section of the panel with the version that answers. */
  const version = (page: Page) => section(side(page), "Version of the soul");
  const banner = (page: Page) => page.getByRole("region", { name: "Another version of the soul" });
  const press = (page: Page, name: string) =>
    banner(page).getByRole("button", { name, exact: true }).click();
  const answeredBy = (text: string) =>
    eventually(async () => hub.model.requests.at(-1)?.system).toContain(text);

  it("is chosen by the room's owner, who hears of newer ones", async () => {
    const page = await enter(ada);
    await side(page).getByText("newest, 1", { exact: true }).waitFor();
    await (await version(page)).getByText("Follows the soul, now version 1.").waitFor();
    const field = side(page).getByLabel("Which version answers");
    const isFocused = () => field.evaluate((one) => one === document.activeElement);
    await field.focus();
    await field.selectOption({ label: "Version 1" });
    await side(page).getByText("Answers as version 1.").waitFor();
    await eventually(isFocused).toBe(true);
    const other = await enter(guest);
    await (await version(other)).getByText("Answers as version 1.").waitFor();
    for (const number of [2, 3, 4]) await putVersion(number, `Note ${number}.`);
    await banner(page).getByText("Version 4: Note 4.").waitFor();
    await side(other).getByText("Answers as version 1. The newest is version 4.").waitFor();
    await eventually(() => banner(other).count()).toBe(0);
    expect(await side(other).getByLabel("Which version answers").count()).toBe(0);
    await say(page, "Who are you?");
    await answeredBy("I am number 1.");

    await press(page, "See changes");
    const changes = page.getByRole("dialog").getByRole("region", { name: "Changes from v1 to v4" });
    await changes.getByRole("deletion").getByText("1").waitFor();
    await changes.getByRole("insertion").getByText("4").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await press(page, "Switch");
    await banner(page).waitFor({ state: "detached" });
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await eventually(focused).toBe("Conversation");
    await side(other).getByText("Answers as version 4.").waitFor();
    await say(page, "And now?");
    await answeredBy("I am number 4.");
    await putVersion(5);
    await banner(page).getByText("Version 5 of this soul is there.").waitFor();
  });

  it("follows the soul again", async () => {
    await putVersion(2, "Second.");
    await pin(1);
    const page = await enter(ada);
    const field = (await version(page)).getByLabel("Which version answers");
    await eventually(() => field.locator("option").allTextContents()).toEqual([
      "Follow the soul (now version 2)",
      "Version 2: Second.",
      "Version 1",
    ]);
    await field.selectOption({ label: "Follow the soul (now version 2)" });
    await side(page).getByText("Follows the soul, now version 2.").waitFor();
    await banner(page).waitFor({ state: "detached" });
    await putVersion(3);
    await side(page).getByText("Follows the soul, now version 3.").waitFor();
    const other = await enter(guest);
    await eventually(() => side(other).getByText("Version of the soul").count()).toBe(0);
  });

  it("stays until there is a newer one, also after a reload", async () => {
    await putVersion(2, "Second.");
    await pin(1);
    const page = await enter(ada);
    await banner(page).getByText("Version 2: Second.").waitFor();
    await press(page, "Stay");
    await banner(page).waitFor({ state: "detached" });
    await page.reload();
    await isLive(page);
    await (await version(page))
      .getByText("Answers as version 1. The newest is version 2.")
      .waitFor();
    await eventually(() => banner(page).count()).toBe(0);
    await putVersion(3, "Third.");
    await banner(page).getByText("Version 3: Third.").waitFor();
    // An own choice of another version says the same as "Stay".
    const field = side(page).getByLabel("Which version answers");
    await field.selectOption({ label: "Version 2: Second." });
    await side(page).getByText("Answers as version 2. The newest is version 3.").waitFor();
    await banner(page).waitFor({ state: "detached" });
  });

  it("is withdrawn, and the owner is offered another one", async () => {
    await putVersion(2);
    await putVersion(3);
    await pin(2);
    const page = await enter(ada);
    await press(page, "Stay");
    await hub.put("/api/version", { ...room, number: 2, is_hidden: true }, grace.key);
    await say(page, "Who are you?");
    await page.getByRole("alert").getByText("The author has hidden this version").waitFor();
    await banner(page).getByText("The author has hidden version 2").waitFor();
    const field = (await version(page)).getByLabel("Which version answers");
    await eventually(() => field.locator("option:checked").textContent()).toBe(
      "Version 2, hidden by its author",
    );
    await press(page, "Switch to version 3");
    await banner(page).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Send again" }).click();
    await answeredBy("I am number 3.");
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  it("is not changed if the room has changed meanwhile", async () => {
    await putVersion(2);
    await pin(1);
    const page = await enter(ada);
    // The page knows of each change at once, so the test sends the revision before this one.
    await page.route("**/trpc/rooms.set*", (route) =>
      route.continue({
        postData: route
          .request()
          .postData()
          ?.replace(/"expected_revision":\d+/, '"expected_revision":0'),
      }),
    );
    await press(page, "Switch");
    await banner(page).getByText("The conversation has changed").waitFor();
    await (await version(page))
      .getByText("Answers as version 1. The newest is version 2.")
      .waitFor();
    await page.unroute("**/trpc/rooms.set*");
    await press(page, "Switch");
    await banner(page).waitFor({ state: "detached" });
  });

  it("has its place in the room beside the title, which the owner changes", async () => {
    const title = ({ page }: Visitor) => page.locator(".room-bar__title").textContent();
    const page = await enter(ada);
    await enter(guest);
    for (const person of [ada, guest]) await eventually(() => title(person)).toBe("Ahoy.");
    expect(await menuOf(guest.page)).not.toContain("Rename");
    const fill = async (text: string) => {
      await choose(page, "Rename");
      await page.getByLabel("Title").fill(text);
    };
    const rename = async (text: string) => {
      await fill(text);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    await rename("Into the harbour");
    await eventually(() => title(guest)).toBe("Into the harbour");
    await rename(" ");
    await eventually(() => title(guest)).toBe("Ahoy.");
    await fill("🦉".repeat(81));
    await page.getByText("1 character over the limit").waitFor();
    await eventually(() => page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Cancel" }).click();
    await eventually(() => title(ada)).toBe("Ahoy.");
  });

  it("is chosen and switched on a phone, for everyone", async () => {
    const { page, context } = await hub.visitor(phone);
    await signIn(page, "ada");
    await page.goto(`/chat/${room.soul_id}/lobby`);
    await isLive(page);
    const other = await enter(guest);
    const drawer = await openDrawer(page);
    const choice = await section(drawer, "Version of the soul");
    await choice.getByLabel("Which version answers").selectOption("1");
    await (await version(other)).getByText("Answers as version 1.").waitFor();
    await drawer.getByRole("button", { name: "Close" }).tap();
    await drawer.waitFor({ state: "detached" });
    await putVersion(2, "Second.");
    await banner(page).getByText("Version 2: Second.").waitFor();
    for (const one of await banner(page).getByRole("button").all()) {
      expect((await one.boundingBox())?.height).toBeGreaterThanOrEqual(TOUCH_PX);
    }
    await banner(page).getByRole("button", { name: "Switch" }).tap();
    await banner(page).waitFor({ state: "detached" });
    await side(other).getByText("Answers as version 2.").waitFor();
    await say(other, "Who are you?");
    await answeredBy("I am number 2.");
    await page.getByText("The soul answers as version 2 from here").waitFor();
    await context.close();
  });

  it("fits a phone", async () => {
    await putVersion(2, "A long note. ".repeat(30));
    await pin(1);
    await hub.put("/api/room", { ...room, title: "A long title ".repeat(6) }, ada.key);
    const { page, context } = await hub.visitor({ viewport: { width: 360, height: 740 } });
    await signIn(page, "ada");
    await page.goto(`/chat/${room.soul_id}/lobby`);
    await banner(page).waitFor();
    // The room cuts off what overflows, so the page has no scroll bar that would show it.
    for (const name of ["Stay", "Room menu"]) {
      const box = await page.getByRole("button", { name }).boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    }
    await press(page, "See changes");
    const changes = page.getByRole("region", { name: "Changes from v1 to v2" });
    expect((await changes.boundingBox())?.width).toBeLessThanOrEqual(360);
    await context.close();
  });
});

import { beforeEach, expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { menuOf } from "../sharing/menu-steps.ts";
import { signIn } from "../sign-in.ts";
import { eventually, isLive, say, visit } from "../steps.ts";
import { openDrawer, section, sectionOf, side } from "./panel-steps.ts";

const visitors = { ada: { as: "vip" } } as const;

/** The history of a room's memory on the page (decisions §5, Memory). */
describeBrowser("the memory of a room", { visitors }, (hub, { ada }) => {
  let rooms = 0;
  let room: { soul_id: number; session_token: string };

  /** Opens a room whose memory has three versions. */
  beforeEach(async () => {
    room = { soul_id: 1, session_token: `memory-${++rooms}` };
    await hub.post("/api/chat", { ...room, content: "Ahoy." }, ada.key);
    for (const text of ["Ada has a red boat.", "Ada has a blue boat.", "Ada has no boat."]) {
      await correct(text);
    }
    await visit(ada.page, `/chat/1/${room.session_token}`);
    await isLive(ada.page);
    await section(side(ada.page), "What the soul remembers");
  });

  const correct = (summary: string | null) =>
    hub.put("/api/my-chats", { ...room, summary }, ada.key);
  const memory = () => ada.page.locator(".room__aside .room-memory");
  const dialog = () => ada.page.getByRole("dialog", { name: "What the soul remembered" });
  const version = (number: number) =>
    dialog().getByRole("button", { name: new RegExp(`^Version ${number}\\b`) });
  const press = (name: string) => dialog().getByRole("button", { name, exact: true }).click();

  it("lists its versions, and goes back to one of them", async () => {
    const { page } = ada;
    await memory().getByRole("button", { name: "History" }).click();
    await version(3).waitFor();
    await eventually(() => dialog().getByRole("listitem").allTextContents()).toEqual([
      "Version 3CurrentEdited by ada, just now",
      "Version 2Edited by ada, just now",
      "Version 1Edited by ada, just now",
    ]);
    await version(3).click();
    await dialog().getByText("Ada has no boat.").waitFor();
    await version(1).click();
    await dialog().getByText("Covers no messages.").waitFor();
    const changes = dialog().getByRole("region", {
      name: "Changes in the memory since version 1",
    });
    await eventually(() => changes.getByRole("deletion").allTextContents()).toEqual(["a", "red "]);
    await eventually(() => changes.getByRole("insertion").allTextContents()).toEqual(["no"]);
    await press("Go back to this");
    // The key closes the question, and not the dialog around it.
    await page.keyboard.press("Escape");
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await eventually(focused).toBe("Go back to this");
    await eventually(() => version(4).count()).toBe(0);
    await press("Go back to this");
    await press("Go back");
    await page.getByText("The soul remembers version 1 again.").waitFor();
    await eventually(() => version(4).textContent()).toBe(
      "Version 4CurrentBrought back by ada, just now",
    );
    await eventually(focused).toBe("Version 1Edited by ada, just now");
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await memory().getByText("Ada has a red boat.").waitFor();
    await say(page, "What do you remember?");
    await eventually(async () => JSON.stringify(hub.model.requests.at(-1)?.messages)).toContain(
      "Ada has a red boat.",
    );
  });

  it("shows a refusal, and what is current now", async () => {
    await memory().getByRole("button", { name: "History" }).click();
    await version(2).click();
    await press("Go back to this");
    // The page reads the versions again when the list opens.
    await dialog().locator("[aria-busy=false]").waitFor();
    await correct("Ada bought a boat.");
    await press("Go back");
    await dialog().getByText("The memory has just changed").waitFor();
    await version(4).getByText("Current").waitFor();
    await dialog().getByRole("insertion").getByText("bought").waitFor();
    await press("Go back");
    await version(5).getByText("Current").waitFor();
    await ada.page.keyboard.press("Escape");
    await memory().getByText("Ada has a blue boat.").waitFor();
  });

  it("names a reset, and the messages that a version covers", async () => {
    await correct(null);
    await ada.page.reload();
    await section(side(ada.page), "What the soul remembers");
    await memory().getByText("Only the newest messages so far.").waitFor();
    await memory().getByRole("button", { name: "History" }).click();
    await version(4).getByText("Emptied by ada").waitFor();
    await version(4).click();
    await dialog().getByText("Empty.").waitFor();
    await dialog()
      .getByText(/^Covers the messages up to “.+” by/)
      .waitFor();
  });

  it("opens from the drawer of a phone, which stays open below", async () => {
    const { page, context } = await hub.visitor({ viewport: { width: 360, height: 740 } });
    await signIn(page, "ada");
    await page.goto(`/chat/1/${room.session_token}`);
    await isLive(page);
    const drawer = await openDrawer(page);
    const memory = await section(drawer, "What the soul remembers");
    await memory.getByRole("button", { name: "History" }).click();
    const history = page.getByRole("dialog", { name: "What the soul remembered" });
    await history.getByRole("button", { name: /^Version 1/ }).click();
    await history.getByRole("button", { name: "Go back to this" }).waitFor();
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    ).toBe(0);
    await page.keyboard.press("Escape");
    await history.waitFor({ state: "detached" });
    await drawer.getByRole("button", { name: "History" }).waitFor();
    await context.close();
  });

  it("is for the owner alone", async () => {
    const { page, context } = await hub.visitor();
    await page.goto(`/chat/1/${room.session_token}`);
    await isLive(page);
    await sectionOf(side(page), "Who may enter").waitFor();
    expect(await page.getByText("What the soul remembers").count()).toBe(0);
    expect(await menuOf(page)).not.toContain("Rename");
    await context.close();
  });
});

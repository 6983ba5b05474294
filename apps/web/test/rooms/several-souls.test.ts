import type { Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { signIn } from "../sign-in.ts";
import { eventually, holdableSocket, isLive, phone, replied, say } from "../steps.ts";
import { button, closeMenu, entry, line, openMenu, press } from "./message-steps.ts";
import { openDrawer, side } from "./panel-steps.ts";
import { describeSharedRoom, type Room, soulOf } from "./shared-room.ts";

/** Several souls in a room (decisions §5, Several souls), for its owner, a member and a guest. */
describeSharedRoom("several souls in a room", {}, (shared) => {
  // A failed test does not make the others fail.
  afterEach(() => shared.failing.clear());

  const souls = (page: Page) =>
    side(page).getByRole("list", { name: "Souls" }).getByRole("listitem").allInnerTexts();
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);
  const listed = (title: string) => expect.stringMatching(new RegExp(`^${title}\\s`));
  /** The names and texts of the shown messages, without those before the test. */
  const talk = async (page: Page) => {
    const all = await page.locator(".line").evaluateAll((lines) =>
      lines.map((one) => {
        const part = (of: string) => one.querySelector(of)?.textContent?.trim() ?? "";
        return `${part("bdi")}: ${part(".line__said") || part(".line__reply")}`;
      }),
    );
    return all.slice(2);
  };
  const asked = () => shared.hub.model.requests.map(soulOf);
  const unitsOfAda = async () => {
    const { quota } = await fetch(`${shared.hub.url}/api/chat-quota`, {
      headers: { authorization: `Bearer ${shared.ada.key}` },
    }).then((answer) => answer.json());
    return quota.daily_count as number;
  };
  const set = (room: Room, settings: object) =>
    shared.hub.put("/api/room", { ...room, ...settings }, shared.ada.key);

  it("are added and removed by the owner, for everyone", async () => {
    const { ada, grace, guest } = shared;
    const { page } = ada;
    await shared.open("added", "orla", ada, grace, guest);
    await side(page).getByText("Orla answers every message.").waitFor();
    await button(side(page), "Add a soul").click();
    const field = side(page).getByLabel("Search public souls");
    await eventually(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await field.fill("ben");
    await side(page).getByRole("button", { name: /^Ben/ }).click();
    for (const person of [ada, grace, guest]) {
      await eventually(() => souls(person.page)).toEqual([listed("Orla"), listed("Ben")]);
      await side(person.page)
        .getByText(/To ask another one, write @ben/)
        .waitFor();
    }
    expect(await souls(page)).toEqual([
      expect.stringContaining("@orla · v1"),
      expect.stringContaining("@ben · v1"),
    ]);
    // The focus is at the list, since the search is gone.
    await eventually(() => focused(page)).toBe("Souls 2");
    for (const person of [grace, guest]) {
      expect(await button(side(person.page), "Add a soul").count()).toBe(0);
      expect(await button(side(person.page), "Remove Ben").count()).toBe(0);
    }
    expect(await button(side(page), "Remove Orla").count()).toBe(0);
    await button(side(page), "Remove Ben").click();
    for (const person of [ada, grace, guest]) {
      await eventually(() => souls(person.page)).toEqual([listed("Orla")]);
    }
  });

  it("are refused with a reason, and are four at most", async () => {
    const { ada, grace, hub } = shared;
    const { page } = ada;
    const room = await shared.open("refused", "both", ada);
    const gated = { title: "Gated", content: "Secret.", nft_contract: "keys.near" };
    await hub.post("/api/souls", gated, grace.key);
    await button(side(page), "Add a soul").click();
    await side(page).getByLabel("Search public souls").fill("zzzzzz");
    await side(page).getByText("No public soul matches.").waitFor();
    await side(page).getByLabel("Search public souls").fill("gated");
    await side(page)
      .getByRole("button", { name: /^Gated/ })
      .click();
    await side(page).getByText("Only public souls without an NFT gate can join a room.").waitFor();
    await page.keyboard.press("Escape");
    await eventually(() => focused(page)).toBe("Souls 2");
    const others: number[] = [];
    for (const title of ["Cara", "Dana"]) {
      const { id } = await hub.post("/api/souls", { title, content: "Hi." }, grace.key);
      others.push(Number(id));
    }
    const all = [shared.orla, shared.ben, ...others].map((soul_id) => ({ soul_id }));
    await set(room, { souls: all });
    await side(page).getByText("A room has at most 4 souls.").waitFor();
    expect(await button(side(page), "Add a soul").count()).toBe(0);
  });

  it("answer one after the other, each under its own name", async () => {
    const { ada, grace, guest, hub } = shared;
    await shared.open("in-turn", "both", ada, grace, guest);
    const before = asked().length;
    const first = hub.model.holdNext();
    const second = hub.model.holdNext();
    await ada.page.getByLabel(/^Message to/).fill("@ben and @orla, agreed?");
    await ada.page.getByText(/^Uses 2 of /).waitFor();
    await ada.page.getByLabel(/^Message to/).press("Enter");
    for (const { page } of [ada, grace, guest]) {
      await eventually(() => talk(page)).toEqual(["ada: @ben and @orla, agreed?", "Ben: Ben"]);
    }
    await button(ada.page, "Stop the reply of Ben").waitFor();
    expect(await button(guest.page, "Stop the reply of Ben").count()).toBe(0);
    first();
    for (const { page } of [ada, grace, guest]) {
      await eventually(() => talk(page)).toEqual([
        "ada: @ben and @orla, agreed?",
        "Ben: Ben answers this.",
        "Orla: Orla",
      ]);
    }
    await button(ada.page, "Stop the reply of Orla").waitFor();
    second();
    for (const { page } of [ada, grace, guest]) {
      await eventually(() => talk(page)).toEqual([
        "ada: @ben and @orla, agreed?",
        "Ben: Ben answers this.",
        "Orla: Orla answers this.",
      ]);
      await replied(page, 3);
    }
    expect(asked().slice(before)).toEqual(["Ben", "Orla"]);
    const sigils = await ada.page
      .locator(".line[data-by=assistant] .sigil")
      .evaluateAll((all) => all.map((one) => one.querySelector("path")?.getAttribute("d")));
    expect(sigils[0]).toBe(sigils[2]);
    expect(sigils[1]).not.toBe(sigils[2]);
  });

  it("answer a question that is edited between their replies, and shown once", async () => {
    const { ada, hub } = shared;
    const room = await shared.open("edited", "both", ada);
    const first = hub.model.holdNext();
    const second = hub.model.holdNext();
    await say(ada.page, "@orla and @ben, agred?");
    await button(ada.page, "Stop the reply of Orla").waitFor();
    first();
    await button(ada.page, "Stop the reply of Ben").waitFor();
    const log = await fetch(`${hub.url}/api/chat?soul_id=${room.soul_id}&session_token=edited`, {
      headers: { authorization: `Bearer ${ada.key}` },
    }).then((answer) => answer.json());
    const { id } = log.messages.find(({ content }: { content: string }) => /agred/.test(content));
    const question = "@orla and @ben, agreed?";
    await hub.put("/api/message", { ...room, id, content: question }, ada.key);
    const soFar = [`ada: ${question}`, "Orla: Orla answers this."];
    await eventually(() => talk(ada.page)).toEqual([...soFar, "Ben: Ben"]);
    second();
    await eventually(() => talk(ada.page)).toEqual([...soFar, "Ben: Ben answers this."]);
  });

  it("can be stopped one by one", async () => {
    const { ada, guest, hub } = shared;
    const { page } = ada;
    await shared.open("stopped", "both", ada, guest);
    const first = hub.model.holdNext();
    const second = hub.model.holdNext();
    await say(page, "@orla and @ben, go on.");
    await button(page, "Stop the reply of Orla").waitFor();
    first();
    await button(page, "Stop the reply of Ben").click();
    for (const person of [ada, guest]) {
      await person.page.getByText("This reply was stopped.").waitFor();
      await eventually(() => talk(person.page)).toEqual([
        "ada: @orla and @ben, go on.",
        "Orla: Orla answers this.",
        expect.stringMatching(/^Ben: (Ben)?$/),
      ]);
    }
    second();
  });

  it("may fail without the others, and the soul that failed says so", async () => {
    const { ada, guest, failing } = shared;
    const { page } = ada;
    await shared.open("failing", "both", ada, guest);
    const units = await unitsOfAda();
    failing.add("Ben");
    await say(page, "@orla and @ben?");
    for (const person of [ada, guest]) {
      await person.page.getByText("The model did not answer").waitFor();
      await person.page.getByText("The question and the other replies stay.").waitFor();
      await eventually(() => talk(person.page)).toEqual([
        "ada: @orla and @ben?",
        "Orla: Orla answers this.",
        "Ben: ",
      ]);
    }
    failing.clear();
    expect(await unitsOfAda()).toBe(units + 1);
    await say(page, "And now, @ben?");
    await line(page, "Ben answers this.").waitFor();
    await eventually(() => talk(page)).toEqual([
      "ada: @orla and @ben?",
      "Orla: Orla answers this.",
      "Ben: ",
      "ada: And now, @ben?",
      "Ben: Ben answers this.",
    ]);
    await button(page, "Remove").click();
    await eventually(() => page.getByText("did not reply").count()).toBe(0);
  });

  /**
   * Asks both souls in a new page of ada's. Ben fails, and the response arrives. `release` lets the
   * room's messages follow.
   */
  const askOvertaken = async (room: string) => {
    const { hub, failing } = shared;
    const other = await hub.visitor();
    const socket = await holdableSocket(other.page);
    await signIn(other.page, "ada");
    await shared.open(room, "both", other);
    failing.add("Ben");
    socket.hold();
    await say(other.page, "@orla and @ben?");
    await other.page.getByText("The question and the other replies stay.").waitFor();
    failing.clear();
    return { other, release: socket.release };
  };

  it("that failed keep their place if the response overtakes the room's messages", async () => {
    const { other, release } = await askOvertaken("overtaken");
    release();
    await eventually(() => talk(other.page)).toEqual([
      "ada: @orla and @ben?",
      "Orla: Orla answers this.",
      "Ben: ",
    ]);
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });

  it("that failed stay removed if the room's news arrives after the removal", async () => {
    const { other, release } = await askOvertaken("removed");
    await button(other.page, "Remove").click();
    release();
    await eventually(() => talk(other.page)).toEqual([
      "ada: @orla and @ben?",
      "Orla: Orla answers this.",
    ]);
    await say(other.page, "Thank you.");
    await eventually(() => talk(other.page)).toEqual([
      "ada: @orla and @ben?",
      "Orla: Orla answers this.",
      "ada: Thank you.",
      "Orla: Orla answers this.",
    ]);
    await other.context.close();
  });

  it("answer only when mentioned, if the owner wants it", async () => {
    const { ada, grace, guest } = shared;
    const { page } = ada;
    await shared.open("addressed", "both", ada, grace, guest);
    await button(side(page), "More about the souls").click();
    await page.getByRole("menuitemcheckbox", { name: "Answer only when mentioned" }).click();
    for (const person of [ada, grace, guest]) {
      await side(person.page)
        .getByText(/A soul answers only a message that mentions it/)
        .waitFor();
    }
    const before = asked().length;
    const units = await unitsOfAda();
    await page.getByLabel(/^Message to/).fill("Good morning.");
    await page.getByText("No soul is mentioned. Costs nothing.").waitFor();
    await page.getByLabel(/^Message to/).press("Enter");
    await page.getByText("Nothing was spent: a soul answers here only").waitFor();
    await line(guest.page, "Good morning.").waitFor();
    await say(page, "How are you all?");
    await line(guest.page, "How are you all?").waitFor();
    // The hint is shown the first time only.
    await page.getByText("Nothing was spent").waitFor({ state: "detached" });
    expect(await page.locator("[data-unsent=true]").count()).toBe(0);
    expect(asked()).toHaveLength(before);
    expect(await unitsOfAda()).toBe(units);
    await say(guest.page, "@ben, and you?");
    await line(page, "Ben answers this.").waitFor();
    expect(asked().slice(before)).toEqual(["Ben"]);
  });

  it("reply again each for itself", async () => {
    const { ada, hub } = shared;
    const { page } = ada;
    await shared.open("again", "both", ada);
    await say(page, "@orla and @ben?");
    await replied(page, 3);
    const before = asked().length;
    const finish = hub.model.holdNext();
    await press(page, "Ben answers this.", "Answer again");
    // The new reply is shown in place of both, because it goes under the question.
    await eventually(() => talk(page)).toEqual(["ada: @orla and @ben?", "Ben: Ben"]);
    finish();
    await page.getByText("2/2", { exact: true }).waitFor();
    await eventually(() => talk(page)).toEqual(["ada: @orla and @ben?", "Ben: Ben answers this."]);
    expect(asked().slice(before)).toEqual(["Ben"]);
    await button(page, "Earlier branch").click();
    await eventually(() => talk(page)).toEqual([
      "ada: @orla and @ben?",
      "Orla: Orla answers this.",
      "Ben: Ben answers this.",
    ]);
    // A soul that has left the room is not asked again.
    await button(side(page), "Remove Ben").click();
    await eventually(() => button(page, "Answer again").count()).toBe(0);
    const menu = await openMenu(page, "Ben answers this.");
    expect(await entry(menu, "Answer again").count()).toBe(0);
    await closeMenu(page, menu);
  });

  it("are listed on a phone, with a greeting of the room's own soul before the first message", async () => {
    const { ada, grace, hub } = shared;
    const files = { "SOUL.md": "Hi.", "GREETING.md": "Welcome.", "STARTERS.md": "Is it dark?" };
    const folder = { title: "Host", content: JSON.stringify(files), file_type: "full_soul_folder" };
    const { id } = await hub.post("/api/souls", folder, grace.key);
    const soul_id = Number(id);
    const { page, context } = await hub.visitor(phone);
    await page.goto(`/chat/${soul_id}/phone`);
    await isLive(page);
    await line(page, "Welcome.").waitFor();
    await button(page, "Is it dark?").waitFor();
    const room = { soul_id, session_token: "phone" };
    await hub.post("/api/chat", { ...room, content: "Hello." }, ada.key);
    await set(room, { souls: [{ soul_id }, { soul_id: shared.ben }] });
    await line(page, "Host answers this.").waitFor();
    await eventually(() => button(page, "Is it dark?").count()).toBe(0);
    const drawer = await openDrawer(page);
    await drawer.getByText("@ben · v1").waitFor();
    await context.close();
  });
});

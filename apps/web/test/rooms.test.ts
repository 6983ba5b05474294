import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Visitor } from "./browser-hub.ts";
import { type HubProcess, startHubProcess } from "./hub-process.ts";
import { button } from "./rooms/message-steps.ts";
import { lock, section, side } from "./rooms/panel-steps.ts";
import { eventually, isLive, people, publishSoul, say, signUp } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 120_000;

describe.skipIf(!chromium)("a room in the browser", () => {
  let hub: HubProcess;
  let ada: Visitor;
  let guest: Visitor;
  let room: string;

  beforeAll(async () => {
    hub = await startHubProcess(chromium ?? "");
    ada = await hub.visitor();
    guest = await hub.visitor();
    await signUp(ada.page, "ada");
  }, LONG_MS);
  afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

  it(
    "opens by one click from a newly published soul",
    async () => {
      const { page } = ada;
      await publishSoul(page, {
        title: "The Night Sky Guide",
        description: "Shows what stands above your roof.",
        files: [
          ["SOUL.md", "# Vesper\n\nKnows the *sky* by heart."],
          ["STYLE.md", "Quiet sentences."],
        ],
      });
      await eventually(() => page.getByRole("heading", { level: 1 }).textContent()).toBe(
        "The Night Sky Guide",
      );
      await eventually(() => page.getByRole("tabpanel").textContent()).toContain(
        "Knows the sky by heart.",
      );
      await page.getByRole("tab", { name: "STYLE.md" }).click();
      await eventually(() => page.getByRole("tabpanel").textContent()).toContain(
        "Quiet sentences.",
      );

      await page.getByRole("link", { name: /^Talk: / }).click();
      await isLive(page);
      room = page.url();
      expect(room).toMatch(/\/chat\/\d+\/[0-9a-f]{32}$/);
    },
    LONG_MS,
  );

  it("lists a guest who follows the link, for both participants", async () => {
    await guest.page.goto(room);
    await isLive(guest.page);
    for (const { page } of [ada, guest]) {
      await eventually(() => people(page).count()).toBe(2);
      await eventually(() => people(page).allInnerTexts()).toContainEqual(
        expect.stringMatching(/^A\s+ada/),
      );
    }
    await eventually(() => people(ada.page).allInnerTexts()).toContainEqual(
      expect.stringMatching(/Anonymous #\w{4}\s+guest/),
    );
  });

  it(
    "shows the typing indicator, the question immediately and the reply while it streams",
    async () => {
      const question = "Which star is that,\nlow in the west?  <b>It</b> does not twinkle.";
      const goOn = hub.model.holdNext();
      await ada.page.getByLabel(/^Message to/).pressSequentially("Which");
      await guest.page.getByText("ada is typing…").waitFor();
      await say(ada.page, question);

      const written = /^My/;
      for (const { page } of [ada, guest]) {
        await eventually(() => page.locator(".line__said").allTextContents()).toEqual([question]);
        await page.locator(".line__reply").getByText(written).waitFor();
        await page.getByRole("img", { name: "is writing" }).waitFor();
      }
      goOn();
      const reply = /^My soul says “.*Vesper.*” ?.*You said “.*low in the west/s;
      for (const { page } of [ada, guest]) {
        await eventually(() => page.locator(".line__reply").allTextContents()).toEqual([
          expect.stringMatching(reply),
        ]);
        await page.getByRole("img", { name: "is writing" }).waitFor({ state: "detached" });
        await eventually(() => page.locator(".line__said").allTextContents()).toEqual([question]);
      }
      const [inAdas, inGuests] = await Promise.all(
        [ada, guest].map(({ page }) => page.locator(".line__reply").allTextContents()),
      );
      expect(inGuests).toEqual(inAdas);
    },
    LONG_MS,
  );

  it("shows a guest's message to everyone and counts it", async () => {
    await say(guest.page, "Venus, I would say.");
    for (const { page } of [ada, guest]) {
      await eventually(() => page.locator(".line").count()).toBe(4);
      await eventually(() => page.locator(".line__said").last().textContent()).toBe(
        "Venus, I would say.",
      );
    }
    await side(guest.page).getByText("4 left", { exact: true }).waitFor();
    await eventually(() => guest.page.locator("[data-own=true]").count()).toBe(1);
  });

  it("stops a reply and offers the question for editing", async () => {
    const goOn = hub.model.holdNext();
    await say(ada.page, "Tell me everything.");
    await guest.page.getByText("Tell me everything.").waitFor();
    await ada.page.getByRole("button", { name: "Stop the reply" }).click();
    await ada.page.getByText("The reply was stopped.").waitFor();
    goOn();
    // The other participants see that the reply was stopped, until the next message.
    await guest.page.getByText("The reply was stopped.").waitFor();
    await ada.page.getByRole("button", { name: "Edit" }).click();
    await eventually(() => ada.page.getByLabel(/^Message to/).inputValue()).toBe(
      "Tell me everything.",
    );
    await ada.page.getByLabel(/^Message to/).fill("");
  });

  it(
    "shows a lost connection, reconnects and misses nothing",
    async () => {
      await hub.restart(async () => {
        await ada.page.getByText("Reconnecting…").waitFor();
        await say(ada.page, "Is anybody there?");
        await ada.page.getByText("No connection to the hub.").waitFor();
      });
      await isLive(ada.page);
      await isLive(guest.page);
      await ada.page.getByRole("button", { name: "Send again" }).click();
      for (const { page } of [ada, guest]) {
        const stored = page.locator(".line:not([data-unsent=true], [data-broken=true])");
        await eventually(() => stored.count()).toBe(6);
        await eventually(() => page.getByText("Is anybody there?", { exact: true }).count()).toBe(
          1,
        );
      }
    },
    LONG_MS,
  );

  it(
    "removes a guest who leaves the room from the participant list",
    async () => {
      await guest.page.goto("/");
      // After the restart of the hub, the guest's client may have polled before it got a WebSocket.
      // The hub then counts the guest as present for up to 30 s.
      await expect.poll(() => people(ada.page).count(), { timeout: 90_000 }).toBe(1);
    },
    LONG_MS,
  );

  it("removes the other participants when the owner makes the room private", async () => {
    await guest.page.goto(room);
    await isLive(guest.page);
    await button(await section(side(ada.page), "Who may enter"), "Make this room private…").click();
    await button(ada.page, "Yes, with my next message").click();
    await say(ada.page, "Just between us.");
    await guest.page.getByRole("heading", { name: "This conversation is private" }).waitFor();
    await lock(ada.page).waitFor();
    await eventually(() => people(ada.page).count()).toBe(1);
  });

  it("logs no errors and makes no foreign requests", () => {
    for (const { complaints, strayRequests } of [ada, guest]) {
      expect(complaints).toEqual([]);
      expect(strayRequests).toEqual([]);
    }
  });
});

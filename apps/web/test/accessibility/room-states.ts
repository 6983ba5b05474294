import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { fillWithExamples } from "../example-content.ts";
import { comeBack, row } from "../room-list/room-list-steps.ts";
import { openOptions, startPrivate, turn } from "../rooms/composer-steps.ts";
import { button, closeMenu, line, openMenu, press } from "../rooms/message-steps.ts";
import { lock, openDrawer, section, side } from "../rooms/panel-steps.ts";
import { choose } from "../sharing/menu-steps.ts";
import { signIn } from "../sign-in.ts";
import {
  enterRoom,
  isLive,
  passHolder,
  phone,
  replied,
  replies,
  say,
  useUpQuota,
} from "../steps.ts";
import { axeViolations } from "./axe-violations.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const look = { bypassCSP: true, reducedMotion: "reduce" } as const;

export const describeRoomStates = () =>
  describe.skipIf(!chromium)("accessibility of every state of a room", { timeout: LONG_MS }, () => {
    let hub: BrowserHub;
    /** A member with a vip pass. Each test opens a new room as this member. */
    let member: Visitor;

    beforeAll(async () => {
      hub = await startBrowserHub(chromium ?? "");
      await fillWithExamples(hub);
      member = await hub.visitor(look);
      await signIn(member.page, "ada");
    }, LONG_MS);
    afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

    it("empty, with the composer's menu, the private dialog and the options that are on", async () => {
      const page = await enterRoom(member, "empty");
      expect(await axeViolations(page)).toEqual([]);
      await turn(page, "Deep think");
      const menu = await openOptions(page);
      expect(await axeViolations(page)).toEqual([]);
      await closeMenu(page, menu);
      await turn(page, "Private chat");
      await page.getByRole("dialog", { name: "Make this room private?" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await button(page, "Yes, with my next message").click();
      await button(page, "Private from now on: turn off").waitFor();
      expect(await axeViolations(page)).toEqual([]);
    });

    it("streaming a reply", async () => {
      const page = await enterRoom(member, "streaming");
      const finish = hub.model.holdNext();
      await say(page, "Is it dark?");
      await page.locator(".line__reply").getByText(/^My/).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      finish();
    });

    it("with a failed message, before and after a reload", async () => {
      const page = await enterRoom(member, "failed");
      hub.model.failNext({ status: 400 });
      await say(page, "Is it dark?");
      await page.getByRole("button", { name: "Send again" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.reload();
      await page.getByRole("button", { name: "Send again" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
    });

    it("while a slow model thinks, and with a stopped reply", async () => {
      const page = await enterRoom(member, "stopped");
      hub.model.failNext("hang");
      await say(page, "Is it dark?");
      await page.getByText(/^Still thinking…/).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole("button", { name: "Stop", exact: true }).click();
      const finish = hub.model.holdNext();
      await say(page, "Is it late?");
      await page.locator(".line__reply").getByText(/^My/).waitFor();
      await page.getByRole("button", { name: "Stop the reply" }).click();
      await page.getByText("stopped here; not kept in the room").waitFor();
      finish();
      expect(await axeViolations(page)).toEqual([]);
    });

    it("with a greeting, conversation starters, code, a formula and check boxes", async () => {
      const key = await passHolder(hub, "emmy", "vip");
      const code = Array.from({ length: 40 }, (_, n) => `const a${n} = "${n}"; // ${n}`).join("\n");
      const greeting = `$$\n\\frac{a}{b}\n$$\n\n- [x] one\n- [ ] two\n\n\`\`\`ts\n${code}\n\`\`\``;
      const files = { "SOUL.md": "Hi.", "GREETING.md": greeting, "STARTERS.md": "Is it dark?" };
      const content = JSON.stringify(files);
      const soul = { title: "Reader", content, file_type: "full_soul_folder" };
      const { id } = await hub.post("/api/souls", soul, key);
      await member.page.goto(`/chat/${id}/greeting`);
      await isLive(member.page);
      await member.page.locator(".hljs-comment").first().waitFor();
      await member.page.locator(".katex-display").waitFor();
      expect(await axeViolations(member.page)).toEqual([]);
    });

    it("with a used-up quota and a plan note", async () => {
      const guest = await hub.visitor(look);
      const page = await enterRoom(guest, "quota");
      await turn(page, "Deep think");
      await page.getByRole("dialog", { name: "Deep think" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await useUpQuota(page);
      await say(page, "One more.");
      await page.getByRole("link", { name: "Sign up free" }).first().waitFor();
      await page.getByText("You have used today's 5 messages.").waitFor();
      await page.getByText(/New ones at .+ \(in .+\), or sign up free for 20 a day/).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await guest.context.close();
    });

    it("reconnecting", async () => {
      const guest = await hub.visitor(look);
      const cut = Promise.withResolvers<void>();
      let isCut = false;
      await guest.page.routeWebSocket(/trpc/, (socket) => {
        if (isCut) return void socket.close({ code: 1011 });
        socket.connectToServer();
        void cut.promise.then(() => socket.close({ code: 1011 }));
      });
      const page = await enterRoom(guest, "reconnecting");
      isCut = true;
      await guest.context.setOffline(true);
      cut.resolve();
      await page.getByText("Connection lost").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await guest.context.close();
    });

    it("with the memory panel: summary, editor and confirmation", async () => {
      const page = await enterRoom(member, "memory");
      await say(page, "Remember me.");
      await replied(page);
      const memory = await section(side(page), "What the soul remembers");
      await memory.getByRole("button", { name: "Write a summary" }).click();
      await memory.getByLabel("What the soul remembers").fill("x".repeat(2_001));
      await memory.getByText("Shorten the summary.").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await memory.getByLabel("What the soul remembers").fill("Ada watches the sky.");
      await memory.getByRole("button", { name: "Save" }).click();
      await memory.getByRole("button", { name: "Forget…" }).click();
      expect(await axeViolations(page)).toEqual([]);
      await memory.getByRole("button", { name: "Forget it" }).click();
      await memory.getByRole("button", { name: "History" }).click();
      const history = page.getByRole("dialog", { name: "What the soul remembered" });
      await history.getByRole("button", { name: /^Version 1/ }).click();
      await history.getByRole("button", { name: "Go back to this" }).click();
      expect(await axeViolations(page)).toEqual([]);
    });

    it("with a newer version of the soul, its changes and the choice of a version", async () => {
      const key = await passHolder(hub, "lise", "vip");
      const { id } = await hub.post("/api/souls", { title: "Pilot", content: "One." }, key);
      const soul_id = Number(id);
      await member.page.goto(`/chat/${soul_id}/versions`);
      await isLive(member.page);
      await say(member.page, "Ahoy.");
      await replied(member.page);
      const version = await section(side(member.page), "Version of the soul");
      await version.getByLabel("Which version answers").selectOption("1");
      await hub.put(`/api/soul/${id}`, { content: "Two.", note: "Twice as good." }, key);
      await member.page.getByText("Twice as good.").waitFor();
      expect(await axeViolations(member.page)).toEqual([]);
      await member.page.getByRole("button", { name: "See changes" }).click();
      await member.page.getByRole("region", { name: "Changes from v1 to v2" }).waitFor();
      expect(await axeViolations(member.page)).toEqual([]);
      await member.page.keyboard.press("Escape");
      await choose(member.page, "Rename");
      await member.page.getByLabel("Title").fill("x".repeat(81));
      await member.page.getByText("1 character over the limit").waitFor();
      expect(await axeViolations(member.page)).toEqual([]);
      await member.page.keyboard.press("Escape");
      await hub.put("/api/version", { soul_id, number: 1, is_hidden: true }, key);
      await say(member.page, "Who are you?");
      await member.page.getByRole("button", { name: "Switch to version 2" }).waitFor();
      expect(await axeViolations(member.page)).toEqual([]);
    });

    it("with branches, reactions, an edited and a removed message, and their menu", async () => {
      const page = await enterRoom(member, "tools");
      await say(page, "Is it dark?");
      await replied(page);
      await page.getByRole("button", { name: "Answer again" }).click();
      await page.getByText("2/2", { exact: true }).waitFor();
      await press(page, replies(page), "How this was made");
      await page.getByRole("dialog", { name: "How this was made" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await press(page, "Is it dark?", "React with another emoji");
      await page.getByLabel("Emoji").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await press(page, "Is it dark?", "React with 🤔");
      await page.getByRole("button", { name: "🤔 1: ada" }).waitFor();
      await press(page, "Is it dark?", "Edit message");
      expect(await axeViolations(page)).toEqual([]);
      await page.getByLabel("Text of the message").fill("Is it dark there?");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await line(page, "edited").first().waitFor();
      await page.getByRole("button", { name: "Earlier branch" }).click();
      await page.getByText("You are looking at another branch.").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await press(page, replies(page), "Remove message");
      await page.getByRole("dialog", { name: "Remove this message?" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.getByRole("button", { name: "Remove it" }).click();
      await line(page, "[removed]").first().waitFor();
      await openMenu(page, "Is it dark there?");
      expect(await axeViolations(page)).toEqual([]);
    });

    it("regenerating, with a failed regeneration, a refused reaction and an edit conflict", async () => {
      const page = await enterRoom(member, "refused");
      await say(page, "Is it dark?");
      await replied(page);
      const finish = hub.model.holdNext();
      await page.getByRole("button", { name: "Answer again" }).click();
      await page.getByRole("img", { name: "is writing" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      finish();
      await page.getByText("2/2", { exact: true }).waitFor();
      hub.model.failNext({ status: 400 });
      await page.getByRole("button", { name: "Answer again" }).click();
      await page.getByRole("alert").waitFor();
      await press(page, replies(page), "React with another emoji");
      await page.getByLabel("Emoji").fill("owl");
      await page.getByLabel("Emoji").press("Enter");
      await page.getByText("Must be one emoji.").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await press(page, "Is it dark?", "Edit message");
      await page.getByLabel("Text of the message").fill("word ".repeat(3_000));
      const room = { soul_id: 1, session_token: "refused" };
      await page.evaluate(async (name) => {
        const send = async (call: string, body: object) => {
          const headers = { "content-type": "application/json" };
          const answer = await fetch(`/trpc/${call}`, {
            method: "POST",
            headers,
            body: JSON.stringify({ ...name, ...body }),
          });
          return await answer.json();
        };
        const input = encodeURIComponent(JSON.stringify({ ...name, last_id: 0 }));
        const synced = await (await fetch(`/trpc/rooms.sync?input=${input}`)).json();
        const [{ id }] = synced.result.data.new_messages;
        await send("chat.edit", { id, content: "Is it dark there?" });
      }, room);
      await page.getByText("The message changed while you were editing.").waitFor();
      expect(await axeViolations(page)).toEqual([]);
    });

    it("with the version and the memory in the drawer of a narrow screen", async () => {
      const page = await enterRoom(member, "drawer-memory");
      await say(page, "Remember me.");
      await replied(page);
      await page.setViewportSize({ width: 390, height: 844 });
      const drawer = await openDrawer(page);
      const version = await section(drawer, "Version of the soul");
      await version.getByLabel("Which version answers").waitFor();
      const memory = await section(drawer, "What the soul remembers");
      await memory.getByRole("button", { name: "Write a summary" }).click();
      expect(await axeViolations(page)).toEqual([]);
    });

    it("with the drawer of participants on a narrow screen", async () => {
      const page = await enterRoom(member, "drawer");
      await page.setViewportSize({ width: 390, height: 844 });
      const drawer = await openDrawer(page);
      expect(await axeViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      await section(drawer, "Messages today");
      await section(drawer, "Who may enter");
      expect(await axeViolations(page)).toEqual([]);
    });

    it("with the sheets of a phone, and what a guest may do", async () => {
      const guest = await hub.visitor({ ...phone, ...look });
      const page = await enterRoom(guest, "sheets");
      const options = await openOptions(page);
      expect(await axeViolations(page)).toEqual([]);
      await page.setViewportSize(phone.viewport);
      await closeMenu(page, options);
      await say(page, "Is it dark?");
      await replied(page);
      await openMenu(page, replies(page));
      expect(await axeViolations(page)).toEqual([]);
      await guest.context.close();
    });

    it("private for the owner, closed for others", async () => {
      const guest = await hub.visitor(look);
      const page = await enterRoom(member, "private");
      await startPrivate(page);
      await say(page, "Only me.");
      await lock(page).waitFor();
      await replied(page);
      expect(await axeViolations(page)).toEqual([]);
      await guest.page.goto("/chat/1/private");
      await guest.page.getByRole("heading", { name: "This conversation is private" }).waitFor();
      expect(await axeViolations(guest.page)).toEqual([]);
      await guest.context.close();
    });

    it("beside the list of rooms: with news, a search, no match, and hidden", async () => {
      const key = await passHolder(hub, "niels", "vip");
      await enterRoom(member, "news");
      await say(member.page, "Is it news?");
      await replied(member.page);
      const page = await enterRoom(member, "beside-news");
      const room = { soul_id: 1, session_token: "news" };
      await hub.post("/api/chat", { ...room, content: "Is it dark, @ada?" }, key);
      await comeBack(page);
      await row(page, "Is it news?").getByRole("img", { name: "mentions you" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      const list = page.getByRole("navigation", { name: "Your rooms" });
      await list.getByLabel("Search rooms and souls").fill("dark");
      await list.locator("mark").first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await list.getByLabel("Search rooms and souls").fill("zzzzzz");
      await list.getByText("No message contains").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await list.getByRole("button", { name: "Hide your rooms" }).click();
      expect(await axeViolations(page)).toEqual([]);
      await row(page, "Is it news?").waitFor({ state: "detached" });
      await list.getByRole("button", { name: "Show your rooms" }).click();
      await enterRoom(member, "news");
      await page.locator(".line[data-mention=true]").first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
    });

    it("closed by an NFT gate", async () => {
      const guest = await hub.visitor(look);
      const key = await passHolder(hub, "linus", "vip");
      const soul = { title: "For holders", content: "Secret.", nft_contract: "keys.near" };
      const { id } = await hub.post("/api/souls", soul, key);
      await guest.page.goto(`/chat/${id}/lobby`);
      await guest.page.getByRole("link", { name: "Open settings" }).waitFor();
      expect(await axeViolations(guest.page)).toEqual([]);
      await guest.context.close();
    });
  });

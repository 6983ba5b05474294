import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { axeViolations } from "./axe-violations.ts";
import { type BrowserHub, startBrowserHub, type Visitor } from "./browser-hub.ts";
import { fillWithExamples } from "./example-content.ts";
import { signIn } from "./sign-in.ts";
import { enterRoom, passHolder, say, useUpQuota } from "./steps.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const look = { bypassCSP: true, reducedMotion: "reduce" } as const;

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

  const replied = (page: Visitor["page"]) =>
    page.getByRole("button", { name: "Copy reply" }).waitFor();

  it("empty, with the private dialog", async () => {
    const page = await enterRoom(member, "empty");
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel("Private").click();
    await page.getByRole("dialog", { name: "Make this room private?" }).waitFor();
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

  it("with a used-up quota and a plan note", async () => {
    const guest = await hub.visitor(look);
    const page = await enterRoom(guest, "quota");
    await page.getByRole("button", { name: "Deep think" }).click();
    await page.getByRole("dialog", { name: "Deep think" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await useUpQuota(page, "quota");
    await say(page, "One more.");
    await page.getByRole("link", { name: "Sign up free" }).first().waitFor();
    await page.getByText("You have used today's 5 messages.").waitFor();
    await page.getByText(/New daily messages at .+ \(in .+\), or sign up free for/).waitFor();
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
    const memory = page.locator(".room__aside .room-memory");
    await memory.getByRole("button", { name: "Write a summary" }).click();
    await memory.getByLabel("What the soul remembers").fill("x".repeat(2_001));
    await memory.getByText("Shorten the summary.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await memory.getByLabel("What the soul remembers").fill("Ada watches the sky.");
    await memory.getByRole("button", { name: "Save" }).click();
    await memory.getByRole("button", { name: "Forget…" }).click();
    expect(await axeViolations(page)).toEqual([]);
  });

  it("with the drawer of participants on a narrow screen", async () => {
    const page = await enterRoom(member, "drawer");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: /Room details/ }).click();
    await page.getByRole("dialog", { name: "This room" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it("private for the owner, closed for others", async () => {
    const guest = await hub.visitor(look);
    const page = await enterRoom(member, "private");
    await page.getByLabel("Private").click();
    await page.getByRole("button", { name: "Yes, with my next message" }).click();
    await say(page, "Only me.");
    await page.getByText("Private permanently").waitFor();
    await replied(page);
    expect(await axeViolations(page)).toEqual([]);
    await guest.page.goto("/chat/1/private");
    await guest.page.getByRole("heading", { name: "This conversation is private" }).waitFor();
    expect(await axeViolations(guest.page)).toEqual([]);
    await guest.context.close();
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

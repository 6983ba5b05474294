import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { type ExamplePages, fillWithExamples } from "../example-content.ts";
import { entry, menuNamed, press } from "../rooms/message-steps.ts";
import { side } from "../rooms/panel-steps.ts";
import { choose, closeDialog } from "../sharing/menu-steps.ts";
import { signIn } from "../sign-in.ts";
import { isLive, replied, say } from "../steps.ts";
import { axeViolations } from "./axe-violations.ts";

const { chromium } = inject("services");
const LONG_MS = 300_000;
const look = { bypassCSP: true, reducedMotion: "reduce" } as const;

export const describeSharingStates = () =>
  describe.skipIf(!chromium)(
    "accessibility of sharing and of a room's people",
    {
      timeout: LONG_MS,
    },
    () => {
      let hub: BrowserHub;
      let pages: ExamplePages;
      /** The owner of the example rooms. */
      let ada: Visitor;
      let grace: Visitor;
      let guest: Visitor;

      beforeAll(async () => {
        hub = await startBrowserHub(chromium ?? "");
        pages = await fillWithExamples(hub);
        [ada, grace, guest] = [
          await hub.visitor(look),
          await hub.visitor(look),
          await hub.visitor(look),
        ];
        await signIn(ada.page, "ada");
        await signIn(grace.page, "grace");
      }, LONG_MS);
      afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

      async function enter({ page }: Visitor, room: string): Promise<Page> {
        await page.goto(room);
        await isLive(page);
        return page;
      }
      const isAccessible = async (page: Page) => expect(await axeViolations(page)).toEqual([]);

      it("the menu and its dialogs", async () => {
        const page = await enter(ada, pages.room);
        await page.getByRole("button", { name: "Room menu" }).click();
        await menuNamed(page, "Room menu").waitFor();
        await isAccessible(page);
        await page.keyboard.press("Escape");
        await choose(page, "Invite into this room");
        await page.getByRole("img", { name: /^QR code/ }).waitFor();
        await isAccessible(page);
        await closeDialog(page);
        await choose(page, "Who may enter");
        await page.getByRole("button", { name: "Change: grace" }).click();
        await menuNamed(page, "Change: grace").waitFor();
        await isAccessible(page);
        await entry(menuNamed(page, "Change: grace"), "Mute or ban").click();
        await side(page).getByLabel("For", { exact: true }).waitFor();
        await isAccessible(page);
        await choose(page, "Share to read only");
        await page.getByRole("button", { name: /^Revoke/ }).waitFor();
        await isAccessible(page);
        await closeDialog(page);
        await choose(page, "Export");
        await page.getByRole("button", { name: "Save as Markdown" }).click();
        await page.getByText("It is complete.").waitFor();
        await isAccessible(page);
        await closeDialog(page);
      });

      it("the invites of a private room", async () => {
        const page = await enter(ada, pages.privateRoom);
        await choose(page, "Who may enter");
        await page.getByText("5 uses of 5 left").waitFor();
        await isAccessible(page);
      });

      it("the page of an invite, also of one that no longer works", async () => {
        for (const { page } of [guest, grace]) {
          await page.goto(pages.invite);
          await page.getByRole("heading", { name: "You are invited" }).waitFor();
          await isAccessible(page);
        }
        await grace.page.goto("/join/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
        await grace.page.getByRole("button", { name: "Join the room" }).click();
        await grace.page.getByText("This invite no longer works").waitFor();
        await isAccessible(grace.page);
      });

      it("the page of a shared conversation, also of one that is gone", async () => {
        for (const { page } of [guest, grace]) {
          await page.goto(pages.shared);
          await page.locator(".line").last().waitFor();
          await isAccessible(page);
        }
        await guest.page.goto("/share/AAAAAAAAAAAAAAAAAAAAAA");
        await guest.page.getByRole("heading", { name: /isn't shared any more/ }).waitFor();
        await isAccessible(guest.page);
      });

      it("a guest without the right to write, with a name, muted and banned", async () => {
        const room = pages.room.replace(/[^/]*$/, "restricted");
        const owner = await enter(ada, room);
        await say(owner, "Welcome.");
        await replied(owner);
        const page = await enter(guest, room);
        await choose(page, "Choose your name");
        await page.getByLabel("Your name", { exact: true }).fill("ada");
        await page.getByRole("button", { name: "Save" }).click();
        await page.getByText("That username is taken").waitFor();
        await isAccessible(page);
        await closeDialog(page);
        await say(page, "Spam");
        await owner.locator(".line").filter({ hasText: /Spam$/ }).waitFor();
        await choose(owner, "Who may enter");
        await owner.getByLabel("Who may write").selectOption("People with an account");
        await page.getByText("Only people with an account may write here.").waitFor();
        await isAccessible(page);
        await owner.getByLabel("Who may write").selectOption("Everyone who can enter");
        const restrict = async () => {
          await press(owner, /Spam$/, "Mute or ban the sender");
          await owner.getByRole("dialog", { name: /^Mute or ban/ }).waitFor();
        };
        await restrict();
        await isAccessible(owner);
        await owner.getByRole("button", { name: "Mute", exact: true }).click();
        await page.reload();
        await page.getByText(/has muted you until/).waitFor();
        await isAccessible(page);
        await restrict();
        await owner.getByRole("button", { name: "Ban", exact: true }).click();
        await page.getByRole("heading", { name: "You can't enter this conversation" }).waitFor();
        await isAccessible(page);
      });
    },
  );

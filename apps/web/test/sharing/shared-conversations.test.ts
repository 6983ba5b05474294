import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { ask, button, line, press, repeating, startRoom } from "../rooms/message-steps.ts";
import { eventually, isLive, replied, say } from "../steps.ts";
import { choose, closeDialog, linkIn, menuOf } from "./menu-steps.ts";

const visitors = { ada: { as: "vip" }, bob: { as: "vip" }, guest: { as: "guest" } } as const;
const model = { reply: repeating };

describeBrowser(
  "shared, exported and copied conversations",
  { visitors, model },
  (hub, { ada, bob, guest }) => {
    /** Creates a read-only link in the open dialog. */
    async function createLink(page: Page): Promise<string> {
      const links = page.getByRole("dialog").getByRole("listitem");
      const before = await links.count();
      await button(page, "Create a read-only link").click();
      await eventually(() => links.count()).toBe(before + 1);
      return linkIn(page.getByRole("dialog"));
    }

    const gone = (page: Page) =>
      page.getByRole("heading", { name: "This conversation isn't shared any more" }).waitFor();

    it("the menu contains what the reader may do", async () => {
      await startRoom("menu", ada);
      expect(await menuOf(ada.page)).toEqual(["Invite into this room"]);
      await ask(ada, "Hello");
      await startRoom("menu", bob, guest);
      await line(guest.page, "You said: Hello").waitFor();
      const rights = [
        "Invite into this room",
        "Who may enter",
        "Share to read only",
        "Export",
        "Copy to a room of my own",
        "Rename",
        "Delete the conversation",
      ];
      expect(await menuOf(ada.page)).toEqual(rights);
      expect(await menuOf(bob.page)).toEqual([
        "Invite into this room",
        "Export",
        "Copy to a room of my own",
        "Report this room",
      ]);
      expect(await menuOf(guest.page)).toEqual([
        "Invite into this room",
        "Choose your name",
        "Export",
        "Report this room",
      ]);
      // The menu works by keyboard, and the focus returns to its button.
      const focused = (page: Page) =>
        page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
      await ada.page.reload();
      await isLive(ada.page);
      await button(ada.page, "Room menu").focus();
      await ada.page.keyboard.press("Enter");
      await ada.page.getByRole("menuitem", { name: "Export" }).press("Enter");
      await ada.page.getByRole("dialog", { name: "Export the conversation" }).waitFor();
      await closeDialog(ada.page);
      await eventually(() => focused(ada.page)).toBe("Room menu");
    });

    it("a share shows the conversation without the room's token and without names", async () => {
      await startRoom("secret-token", ada, bob);
      await say(ada.page, "Are tabs **good**?");
      await replied(ada.page);
      await ask(bob, "My address");
      await ask(ada, "The end");
      await choose(ada.page, "Share to read only");
      const url = await createLink(ada.page);
      expect(url).toMatch(new RegExp(`^${hub.url}/share/[\\w-]{22}$`));
      await closeDialog(ada.page);

      const html = await (await fetch(url)).text();
      expect(html).toContain('<meta name="robots" content="noindex" />');
      expect(html).toContain("My address");
      for (const secret of ["secret-token", "bob"]) expect(html).not.toContain(secret);
      const { page } = guest;
      await page.goto(url);
      const log = page.getByRole("region", { name: "Conversation" });
      await log.locator("strong", { hasText: "good" }).first().waitFor();
      const names = log.locator(".line[data-by=user] .line__name");
      expect(await names.allTextContents()).toEqual(["Person 1", "Person 2", "Person 1"]);
      await log.getByText("How this was made").first().click();
      const made = log.locator("details[open]");
      await made.filter({ hasText: /Version \d+ of the soul, by .*test\./ }).waitFor();
      expect(await log.getByText("How this was made").count()).toBe(3);
      expect(await log.locator("time").count()).toBe(6);
      await log.getByText("Today", { exact: true }).waitFor();
      expect(await page.getByRole("textbox", { name: /Message to/ }).count()).toBe(0);

      // A later message is not part of it. A removal is, also after a reload.
      await ask(ada, "Too late");
      await press(ada.page, /My address$/, "Remove message");
      await button(ada.page, "Remove it").click();
      await line(ada.page, "[removed]").first().waitFor();
      await page.reload();
      await log.getByText("The end", { exact: true }).first().waitFor();
      await eventually(() => log.getByText("My address", { exact: true }).count()).toBe(0);
      expect(await log.getByText("Too late").count()).toBe(0);

      await choose(ada.page, "Share to read only");
      await ada.page.getByRole("button", { name: /^Revoke the link up to/ }).click();
      await ada.page.getByRole("button", { name: "Revoke", exact: true }).click();
      await eventually(() => ada.page.getByRole("dialog").getByRole("listitem").count()).toBe(0);
      await closeDialog(ada.page);
      await page.reload();
      await gone(page);
      const { status } = await fetch(url);
      expect(status).toBe(404);
      expect(guest.complaints).toEqual([]);
    });

    it("a share shows names and ends at a chosen message, if its owner wants it", async () => {
      await startRoom("named", ada, bob);
      await ask(ada, "First");
      await ask(bob, "Second");
      await press(ada.page, "First", "Share up to here");
      await ada.page.getByLabel("Show people's names").click();
      const url = await createLink(ada.page);
      await closeDialog(ada.page);
      await guest.page.goto(url);
      await guest.page.locator(".line").first().waitFor();
      expect(await guest.page.locator(".line__name").allTextContents()).toEqual(["ada"]);
    });

    it("a share continues in a private copy, after signing in", async () => {
      await startRoom("original", ada);
      await ask(ada, "Take me along");
      await choose(ada.page, "Share to read only");
      const url = await createLink(ada.page);
      await closeDialog(ada.page);
      const { page } = await hub.visitor();
      await page.goto(url);
      await page.getByRole("link", { name: "Sign in to continue" }).click();
      await page.getByLabel("Username").fill("bob");
      await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(url);
      await button(page, "Continue in a copy of your own").click();
      await page.waitForURL(/\/chat\/1\/[0-9a-f]{32}$/);
      await isLive(page);
      await line(page, "You said: Take me along").waitFor();
      await page.getByRole("img", { name: "Private" }).waitFor();
      await ask({ ...bob, page }, "And on");
      expect(await line(ada.page, "And on").count()).toBe(0);
      await page.context().close();
    });

    it("the page of an unknown share says so", async () => {
      await guest.page.goto("/share/AAAAAAAAAAAAAAAAAAAAAA");
      await gone(guest.page);
      await guest.page.goto("/share/short");
      await gone(guest.page);
    });

    it("an export is a complete file of the conversation", async () => {
      await startRoom("export", ada, guest);
      await ask(ada, "Keep <b>this</b>");
      await choose(guest.page, "Export");
      for (const [name, extension] of [
        ["Markdown", "md"],
        ["JSON", "json"],
      ] as const) {
        const started = guest.page.waitForEvent("download");
        await button(guest.page, `Save as ${name}`).click();
        const download = await started;
        expect(download.suggestedFilename()).toMatch(
          new RegExp(`^conversation-.+\\.${extension}$`),
        );
        const text = await readFile(await download.path(), "utf8");
        if (extension === "md") {
          expect(text).toContain("> Keep &lt;b>this&lt;/b>");
          expect(text).toContain("> You said: Keep");
        } else {
          const { messages, is_complete } = JSON.parse(text);
          expect(is_complete).toBe(true);
          expect(messages).toMatchObject([
            { role: "user", sender_name: "ada", content: "Keep <b>this</b>" },
            { role: "assistant" },
          ]);
        }
        await guest.page.getByRole("status").getByText("It is complete.").waitFor();
      }
    });

    it("a copy of a room is a private room of the reader's own", async () => {
      await startRoom("to-copy", ada, bob);
      await ask(ada, "Copy me");
      await line(bob.page, "You said: Copy me").waitFor();
      await choose(bob.page, "Copy to a room of my own");
      await bob.page.getByRole("dialog").waitFor();
      await bob.page.keyboard.press("Escape");
      await eventually(() =>
        bob.page.evaluate(() => document.activeElement?.getAttribute("aria-label")),
      ).toBe("Room menu");
      await choose(bob.page, "Copy to a room of my own");
      await bob.page.getByRole("dialog").getByRole("button", { name: "Copy" }).click();
      await bob.page.waitForURL(/\/chat\/1\/[0-9a-f]{32}$/);
      await isLive(bob.page);
      await line(bob.page, "You said: Copy me").waitFor();
      await bob.page.getByRole("img", { name: "Private" }).waitFor();
      await bob.page.getByText("Copied today from “Copy me”").waitFor();
      expect(await menuOf(bob.page)).toContain("Delete the conversation");
    });

    it("a deleted conversation is gone for everyone", async () => {
      await startRoom("to-delete", ada, bob);
      await ask(ada, "Forget me");
      await line(bob.page, "You said: Forget me").waitFor();
      const row = ada.page.locator(".room-row").filter({ hasText: "Forget me" });
      await choose(ada.page, "Delete the conversation");
      await ada.page.getByRole("heading", { name: "My chats" }).waitFor();
      await row.waitFor({ state: "detached" });
      await button(ada.page, "Undo").click();
      await row.click();
      await line(ada.page, "You said: Forget me").waitFor();
      await choose(ada.page, "Delete the conversation");
      await button(ada.page, "Undo").waitFor();
      expect(await line(bob.page, "Forget me").count()).toBeGreaterThan(0);
      // The page that is left sends the deletion at once.
      await ada.page.goto("/apps");
      await line(bob.page, "Forget me").first().waitFor({ state: "detached" });
      await bob.page.getByText("This conversation was deleted").waitFor();
      await ada.page.goto("/chat/1/to-delete");
      await isLive(ada.page);
      expect(await ada.page.locator(".line").count()).toBe(0);
      expect([ada.complaints, bob.complaints]).toEqual([[], []]);
    });

    it("a deletion takes the words of a reply in progress from every page", async () => {
      await startRoom("in-progress", ada, bob);
      await ask(ada, "Keep this");
      const finish = hub.model.holdNext();
      await say(ada.page, "And this");
      await bob.page.locator(".line__reply", { hasText: "You" }).nth(1).waitFor();
      await choose(ada.page, "Delete the conversation");
      await button(ada.page, "Undo").waitFor();
      await ada.page.reload();
      await bob.page.getByText("This conversation was deleted").waitFor();
      finish();
      await eventually(() => bob.page.locator(".line[data-broken=true]").count()).toBe(0);
      await eventually(() => bob.page.locator(".line__reply").count()).toBe(0);
    });

    it("signing in is not needed to read", async () => {
      await startRoom("readable", ada);
      await ask(ada, "Read me");
      await choose(ada.page, "Share to read only");
      const url = await createLink(ada.page);
      const { page, context } = await hub.visitor({ javaScriptEnabled: false });
      // A busy hub may send a page without its data, which the page's script then requests.
      await eventually(async () => {
        await page.goto(url);
        return page.getByText("Read me", { exact: true }).count();
      }).toBeGreaterThan(0);
      await context.close();
    });
  },
);

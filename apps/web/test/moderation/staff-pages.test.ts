import { beforeAll, expect, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import type { Visitor } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";
import { press } from "../rooms/message-steps.ts";
import { choose } from "../sharing/menu-steps.ts";
import { signIn } from "../sign-in.ts";
import { eventually, isLive, passHolder } from "../steps.ts";
import { decide, inDialog, keys, look, promote, sendReport } from "./staff-steps.ts";

const visitors = {
  ada: { as: "vip", look },
  guest: { as: "guest", look },
  noa: { as: "pro", look },
  mia: { as: "pro", look },
} as const;

describeBrowser("the pages of moderation", { visitors }, (hub, { ada, guest, noa, mia }) => {
  let room: string;
  let soul_id: number;

  beforeAll(async () => {
    await promote(hub, "noa", "admin");
    await promote(hub, "mia", "moderator");
    const soul = { title: "Orla", content: "I keep a light." };
    soul_id = Number((await hub.post("/api/souls", soul, noa.key)).id);
    const said = { soul_id, session_token: "pier", content: "Grace lives at Pier 3." };
    await hub.post("/api/chat", said, ada.key);
    room = `/chat/${soul_id}/pier`;
  });

  /** The button of the account's menu, with what waits. */
  const account = ({ page }: Visitor, news: string) =>
    page.getByRole("button", { name: new RegExp(`^Your account, \\w+, ${news}$`) });

  it("tell the staff of a hub without a model so, on the start page and in rooms", async () => {
    for (const path of ["/", room]) {
      for (const { page } of [mia, ada]) {
        await page.route("**/healthz", (route) =>
          route.fulfill({ json: { model_configured: false } }),
        );
        await page.goto(path);
      }
      const note = mia.page.getByRole("complementary", { name: "This hub has no model" });
      expect(await note.getByRole("link").getAttribute("href")).toBe("/admin?view=health");
      await ada.page.getByRole("link", { name: "My chats" }).first().waitFor();
      expect(await ada.page.getByText("This hub has no model").count()).toBe(0);
    }
  });

  it("show staff alone the page of the staff, and admins alone invites and audit log", async () => {
    for (const { page } of [guest, ada]) {
      await page.goto("/admin");
      await page.getByRole("heading", { name: "This page doesn't exist" }).waitFor();
      expect(await page.title()).toMatch(/^(\(1\) )?Soul Hub$/);
    }
    await mia.page.goto("/admin");
    const parts = mia.page.getByRole("navigation", { name: "Moderation" }).getByRole("link");
    await eventually(() => parts.allTextContents()).toEqual(["Cases", "People", "Health"]);
    await mia.page.goto("/admin?view=audit");
    await mia.page.getByRole("heading", { name: "This page doesn't exist" }).waitFor();
  });

  it("offer no further try for a case that does not exist", async () => {
    const { page } = mia;
    await page.goto("/admin?case=999999");
    await page.getByRole("alert").filter({ hasText: "This case doesn't exist" }).waitFor();
    await page.getByRole("link", { name: "All cases" }).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  it("list their keys beside those of every page, for staff alone", async () => {
    const keysOf = async ({ page }: Visitor, path = "/admin") => {
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.keyboard.press("?");
      const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await dialog.waitFor();
      return dialog;
    };
    const shown = await keysOf(mia);
    await shown.getByRole("heading", { name: "Moderation" }).waitFor();
    for (const does of ["Next case, as ↓", "Hide the soul", "Restore"]) {
      await shown.getByText(does).waitFor();
    }
    expect(await axeViolations(mia.page)).toEqual([]);
    const elsewhere = await keysOf(mia, "/apps");
    await elsewhere.getByText("Search souls").waitFor();
    expect(await elsewhere.getByText("Hide the soul").count()).toBe(0);
    const others = await keysOf(ada);
    await others.getByText("Search souls").waitFor();
    expect(await others.getByRole("heading", { name: "Moderation" }).count()).toBe(0);
  });

  it("let guests report a message and a room, and readers see a removal at once", async () => {
    for (const { page } of [ada, guest]) {
      await page.goto(room);
      await isLive(page);
    }
    await press(guest.page, "Grace lives at Pier 3.", "Report message");
    await sendReport(guest.page, "private_data", "My address.");
    await choose(guest.page, "Report this room");
    await sendReport(guest.page, "spam", "");
    const { page } = noa;
    await page.goto("/admin");
    await account(noa, "2 open cases").waitFor();
    await page.getByRole("link", { name: /^a message of ada/i }).waitFor();
    await keys(page, "j", "Enter");
    await page.locator("[data-reported=true]", { hasText: "Grace lives at Pier 3." }).waitFor();
    await keys(page, "m");
    await inDialog(page, "Remove the message");
    await page.keyboard.type("Addresses of others are private.");
    await keys(page, "Control+Enter");
    await account(noa, "1 open case").click();
    await page.getByRole("menuitem", { name: "Moderation 1" }).waitFor();
    for (const reader of [ada.page, guest.page]) {
      await reader.getByText("Removed by the moderators").waitFor();
      await eventually(() =>
        reader.locator(".line[data-by=user]", { hasText: "Grace lives at Pier 3." }).count(),
      ).toBe(0);
    }
  });

  it("find people, open a case about one, and tell a suspended person on every page", async () => {
    const { page } = noa;
    await page.goto("/admin?view=people");
    await page.getByRole("listitem").filter({ hasText: "mia" }).getByText("moderator").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel("Username").fill("Ada");
    await page.getByRole("button", { name: "Find" }).click();
    await page.getByRole("button", { name: "Open a case about ada" }).click();
    await page.getByRole("heading", { name: /the account ada/ }).waitFor();
    // The history holds the removed message.
    await page.getByText("Addresses of others are private.").waitFor();
    await keys(page, "u");
    await inDialog(page, "Suspend the author");
    await page.keyboard.type("Twice was enough.");
    await page.getByLabel("Days").fill("");
    await keys(page, "Control+Enter");
    await page.getByRole("list", { name: "Open cases" }).waitFor();
    await ada.page.goto("/");
    const banner = ada.page.getByRole("complementary", { name: "The state of your account" });
    await banner.getByText("Your account is suspended until the staff lift this.").waitFor();
    await account(ada, "2 new notices").waitFor();
    expect(await axeViolations(ada.page)).toEqual([]);
    await account(ada, "2 new notices").click();
    await ada.page.getByRole("menuitem", { name: "Notices 2" }).click();
    await ada.page.getByRole("article", { name: "Your account is suspended" }).waitFor();
    await ada.page.getByRole("button", { name: "Your account, ada", exact: true }).waitFor();
    expect(await axeViolations(ada.page)).toEqual([]);
  });

  it("show people what became of their reports", async () => {
    const { page } = mia;
    await page.goto("/u/noa");
    await page.getByRole("button", { name: "Report" }).click();
    await sendReport(page, "impersonation", "This is not Noa.");
    await page.goto("/notices");
    await page.getByText("You reported the account noa").waitFor();
    await page.getByText("The staff have not decided yet.").waitFor();
    await page.getByText("There are none.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it("open a case by an address", async () => {
    const { page } = mia;
    await page.goto("/admin");
    await page.getByRole("list", { name: "Open cases" }).waitFor();
    await keys(page, "n");
    await page.keyboard.type("nonsense");
    await keys(page, "Enter");
    await page.getByText("This is no such address of this hub.").waitFor();
    await page.getByLabel("Open a case without a report").fill(`${hub.url}/soul/${soul_id}`);
    await keys(page, "Enter");
    await page.getByRole("heading", { name: /the soul “Orla”/ }).waitFor();
    await page.getByText("The staff opened this case.").waitFor();
  });

  it("create, show and withdraw invites, and list what staff did", async () => {
    const { page } = noa;
    await page.goto("/admin?view=invites");
    await page.getByLabel("Accounts").fill("3");
    await page.getByLabel("Note").fill("for the reading group");
    await page.getByRole("button", { name: "Create an invite" }).click();
    await page.getByText(/\/sign-up#invite=/).waitFor();
    await page.getByText("0 of 3 used.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Withdraw for the reading group" }).click();
    await page.getByText("There are no open invites.").waitFor();
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("listitem").filter({ hasText: "suspend" }).first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel("Action").fill("remove-message");
    await page.getByRole("button", { name: "Filter" }).click();
    await eventually(() => page.locator(".admin__log > li strong").allTextContents()).toEqual([
      "noa",
    ]);
    await page.getByRole("link", { name: "Health" }).click();
    await page.getByText("Bus between servers").waitFor();
    await page.getByText("off (SEARCH_MODEL=off)").waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it("stop a silenced person from writing, and say so", async () => {
    await passHolder(hub, "bob", "vip");
    const bob = await hub.visitor(look);
    await signIn(bob.page, "bob");
    const target = { kind: "person", username: "bob" };
    await decide(hub, noa.key, target, { action: "silence", days: 3 });
    await bob.page.goto(room);
    await bob.page.getByText(/You can read, but not write, until/).waitFor();
    await bob.page.getByLabel(/^Message to/).fill("Hello?");
    await keys(bob.page, "Enter");
    await bob.page.getByRole("link", { name: "Read your notices" }).waitFor();
    await bob.context.close();
  });
});

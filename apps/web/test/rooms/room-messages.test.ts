import { expect, it } from "vitest";
import type { Visitor } from "../browser-hub.ts";
import { describeBrowser } from "../describe-browser.ts";
import {
  enterRoom,
  eventually,
  holdableSocket,
  isLive,
  people,
  replied,
  say,
  signUpByForm,
  useUpQuota,
} from "../steps.ts";

const table = "| a | b | c |\n|:-:|--:|---|\n| 1 | 2 | 3 |";
const arabic = "مرحبا، أين القمر؟";
const visitors = { ada: { as: "member" } } as const;
const reply = ({ messages }: { messages: readonly { content: string }[] }) =>
  messages.at(-1)?.content.includes("table") ? `${table}\n\n${arabic}\n\n> ${arabic}` : "Yes.";
const model = { reply };

describeBrowser("messages of a room", { visitors, model }, (hub, { ada }) => {
  const input = ({ page }: Visitor) => page.getByLabel(/^Message to/);
  const said = ({ page }: Visitor) => page.locator(".line__said");
  const failed = ({ page }: Visitor) => page.getByRole("button", { name: "Send again" });

  it("takes text direction from the text, and column alignment from the table", async () => {
    const page = await enterRoom(ada, "direction");
    await input(ada).fill(arabic);
    const style = (selector: string, property: string) =>
      page.locator(selector).evaluateAll(
        // Chromium reports an `align` attribute as "-webkit-center".
        (all, name) =>
          all.map((one) => getComputedStyle(one).getPropertyValue(name).replace("-webkit-", "")),
        property,
      );
    await eventually(() => style(".composer textarea", "direction")).toEqual(["rtl"]);
    await say(page, `${arabic} table`);
    await page.getByRole("cell", { name: "2" }).waitFor();
    await replied(page);
    await eventually(() => style(".line__said", "direction")).toEqual(["rtl"]);
    await eventually(() => style(".line__reply td", "text-align")).toEqual([
      "center",
      "right",
      "start",
    ]);
    await eventually(() => style(".line__reply th", "text-align")).toEqual([
      "center",
      "right",
      "start",
    ]);
    const blocks = ".line__reply .markdown > :is(table, p, blockquote)";
    await eventually(() => style(blocks, "direction")).toEqual(["ltr", "rtl", "rtl"]);
  });

  it("shows a mouse the whole date of a message", async () => {
    const page = await enterRoom(ada, "dates");
    await say(page, "What day is it?");
    await replied(page);
    const time = page.locator(".line__time").first();
    expect(await time.getAttribute("title")).toBeNull();
    await time.hover();
    const year = String(new Date().getFullYear());
    await eventually(() => time.getAttribute("title")).toContain(year);
  });

  it("keeps a draft of each room over a reload and a visit elsewhere", async () => {
    const page = await enterRoom(ada, "draft");
    await input(ada).fill("Half a thought");
    await page.reload();
    await eventually(() => input(ada).inputValue()).toBe("Half a thought");
    await enterRoom(ada, "another-draft");
    await eventually(() => input(ada).inputValue()).toBe("");
    await enterRoom(ada, "draft");
    await eventually(() => input(ada).inputValue()).toBe("Half a thought");
    await say(page, "A whole thought");
    await replied(page);
    await page.reload();
    await isLive(page);
    await eventually(() => input(ada).inputValue()).toBe("");
  });

  it("moves a guest's draft to the new account, and hides it after signing out", async () => {
    const visitor = await hub.visitor();
    await enterRoom(visitor, "shared-browser");
    await input(visitor).fill("A guest's draft");
    await signUpByForm(visitor.page, "grace");
    await enterRoom(visitor, "shared-browser");
    await eventually(() => input(visitor).inputValue()).toBe("A guest's draft");
    await visitor.context.clearCookies();
    await visitor.page.reload();
    await isLive(visitor.page);
    await eventually(() => input(visitor).inputValue()).toBe("");
    await visitor.context.close();
  });

  it("keeps a failed message over a reload, to send again, edit or remove", async () => {
    const page = await enterRoom(ada, "failed");
    for (const [at, line] of ["first", "second", "third"].entries()) {
      hub.model.failNext({ status: 400 });
      await say(page, line);
      await eventually(() => failed(ada).count()).toBe(at + 1);
    }
    await page.getByText("Your message is saved in this browser.").first().waitFor();
    await enterRoom(ada, "elsewhere");
    await eventually(() => failed(ada).count()).toBe(0);
    await enterRoom(ada, "failed");
    await eventually(() => said(ada).allTextContents()).toEqual(["first", "second", "third"]);
    await failed(ada).first().click();
    await replied(page);
    await page.getByRole("button", { name: "Edit", exact: true }).first().click();
    await eventually(() => input(ada).inputValue()).toBe("second");
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.reload();
    await isLive(page);
    await eventually(() => said(ada).allTextContents()).toEqual(["first"]);
    await eventually(() => input(ada).inputValue()).toBe("second");
    await eventually(() => failed(ada).count()).toBe(0);
  });

  it("shows a message once when the page reloads before its reply", async () => {
    const page = await enterRoom(ada, "in-flight");
    const finish = hub.model.holdNext();
    await say(page, "Is it dark?");
    await page.getByRole("img", { name: "is writing" }).waitFor();
    await page.reload();
    await isLive(page);
    await eventually(() => said(ada).allTextContents()).toEqual(["Is it dark?"]);
    await eventually(() => failed(ada).count()).toBe(0);
    finish();
    await replied(page);
    await page.reload();
    await replied(page);
    await eventually(() => said(ada).allTextContents()).toEqual(["Is it dark?"]);
    await eventually(() => failed(ada).count()).toBe(0);
  });

  it("shows an unconfirmed message that never reached the hub", async () => {
    const page = await enterRoom(ada, "lost");
    await page.route("**/trpc/chat.send**", (route) => route.abort());
    await say(page, "Into the void");
    await failed(ada).waitFor();
    await page.unroute("**/trpc/chat.send**");
    await page.reload();
    await page.getByText("This message may not have been sent.").waitFor();
    await failed(ada).click();
    await replied(page);
    await eventually(() => said(ada).allTextContents()).toEqual(["Into the void"]);
  });

  it("shows a refusal once that overtakes the room's news of the question", async () => {
    const guest = await hub.visitor();
    const { page } = guest;
    const socket = await holdableSocket(page);
    await enterRoom(guest, "overtaken");
    socket.hold();
    hub.model.failNext({ status: 400 });
    await say(page, "In vain");
    await failed(guest).waitFor();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await enterRoom(ada, "overtaken");
    socket.release();
    // The room tells of the second participant after the failure.
    await eventually(() => people(page).count()).toBe(2);
    await eventually(() => said(guest).allTextContents()).toEqual([]);
    await eventually(() => page.getByRole("alert").count()).toBe(0);
    await guest.context.close();
  });

  it("offers a guest with a used-up quota to sign up", async () => {
    const guest = await hub.visitor();
    const page = await enterRoom(guest, "quota");
    await useUpQuota(page);
    await say(page, "One more.");
    const note = page.getByRole("alert");
    await note.getByText("You have used today's 5 messages.").waitFor();
    const colors = await page
      .locator(".outbox-actions")
      .getByRole("link", { name: "Sign up free" })
      .evaluate((link) => [
        getComputedStyle(link).color,
        getComputedStyle(link.closest(".outbox-actions") ?? link).color,
      ]);
    expect(colors[0]).not.toBe(colors[1]);
    await eventually(() => note.textContent()).toMatch(
      /New ones at .+ \(in .+\), or sign up free for 20 a day\./,
    );
    await guest.context.close();
  });
});

import { expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { enterRoom, eventually, say } from "../steps.ts";
import { button, line, repeating } from "./message-steps.ts";

const visitors = { ada: { as: "vip" }, guest: { as: "guest" } } as const;

/** A participant's next line goes to the hub after the reply to the one before has ended (0048). */
describeBrowser(
  "a line after another one",
  { visitors, model: { reply: repeating } },
  (hub, seen) => {
    const { ada, guest } = seen;
    const lines = async ({ page }: Pick<typeof ada, "page"> = ada) => {
      const texts = await page.locator(".line :is(.line__said, .line__reply)").allTextContents();
      return texts.map((text) => text.trim());
    };
    const asked = () => hub.model.requests.length;
    const WAITS = "Waits for the reply to your message above.";

    it("waits for the reply to the one before, and keeps its place", async () => {
      const page = await enterRoom(ada, "in-order");
      await enterRoom(guest, "in-order");
      const before = asked();
      const finish = hub.model.holdNext();
      await say(page, "First.");
      await line(page, "First.").getByText("waiting", { exact: true }).waitFor();
      await say(page, "Second.");
      await page.getByText(WAITS).waitFor();
      await say(page, "Third.");
      await eventually(() => page.getByText(WAITS).count()).toBe(2);
      await eventually(() => lines(guest)).toEqual(["First.", "You"]);
      expect(asked()).toBe(before + 1);
      finish();
      const all = ["First.", "Second.", "Third."].flatMap((text) => [text, `You said: ${text}`]);
      for (const visitor of [ada, guest]) await eventually(() => lines(visitor)).toEqual(all);
      expect(asked()).toBe(before + 3);
      expect(await page.getByText(WAITS).count()).toBe(0);
    });

    it("can be taken back, or sent at once without a reply", async () => {
      const page = await enterRoom(ada, "at-once");
      await enterRoom(guest, "at-once");
      const before = asked();
      const finish = hub.model.holdNext();
      await say(page, "First.");
      await say(page, "Never?");
      await button(page, "Take back").click();
      await eventually(() => page.getByLabel(/^Message to/).inputValue()).toBe("Never?");
      await page.getByLabel(/^Message to/).fill("Aside.");
      await page.getByLabel(/^Message to/).press("Enter");
      await button(page, "Send now, no reply").click();
      await eventually(() => lines(guest)).toEqual(["Aside.", "First.", "You"]);
      // The unanswered line keeps its place. The log orders stored messages by their commits.
      await eventually(() => lines()).toEqual(["First.", "You", "Aside."]);
      await line(page, "First.").getByText("waiting", { exact: true }).waitFor();
      expect(await page.getByText(WAITS).count()).toBe(0);
      finish();
      const all = ["Aside.", "First.", "You said: First."];
      for (const visitor of [ada, guest]) await eventually(() => lines(visitor)).toEqual(all);
      expect(asked()).toBe(before + 1);
    });

    it("is not sent by a page that is opened anew", async () => {
      const page = await enterRoom(ada, "reloaded");
      const finish = hub.model.holdNext();
      await say(page, "First.");
      await say(page, "Second.");
      await page.getByText(WAITS).waitFor();
      const before = asked();
      await page.reload();
      await button(page, "Send again").waitFor();
      finish();
      await eventually(() => lines()).toEqual(["First.", "You said: First.", "Second."]);
      expect(asked()).toBe(before);
      await button(page, "Send again").click();
      await line(page, "You said: Second.").waitFor();
    });

    it("is in two tabs, and sent once", async () => {
      const page = await enterRoom(ada, "two-tabs");
      const finish = hub.model.holdNext();
      await say(page, "First.");
      await say(page, "Second.");
      await page.getByText(WAITS).waitFor();
      const other = await ada.context.newPage();
      await other.goto(page.url());
      await button(other, "Send again").waitFor();
      await other.getByText("This message was not sent yet").waitFor();
      const before = asked();
      finish();
      const all = ["First.", "Second."].flatMap((text) => [text, `You said: ${text}`]);
      for (const tab of [page, other]) await eventually(() => lines({ page: tab })).toEqual(all);
      expect(asked()).toBe(before + 1);
      expect(await button(other, "Send again").count()).toBe(0);
      await other.close();
    });

    it("waits behind a lost message until that is sent or removed", async () => {
      const page = await enterRoom(ada, "lost");
      let abort = () => {};
      const isAborted = new Promise<void>((resolve) => {
        abort = resolve;
      });
      await page.route("**/trpc/chat.send*", (route) => isAborted.then(() => route.abort()));
      await say(page, "First.");
      await say(page, "Second.");
      await page.getByText(WAITS).waitFor();
      abort();
      await page.getByText("Waits until you send or remove the message above.").waitFor();
      await page.unroute("**/trpc/chat.send*");
      await button(page, "Send again").click();
      const all = ["First.", "Second."].flatMap((text) => [text, `You said: ${text}`]);
      await eventually(() => lines()).toEqual(all);
    });
  },
);

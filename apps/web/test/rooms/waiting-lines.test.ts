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
    const lines = async ({ page } = ada) => {
      const texts = await page.locator(".line :is(.line__said, .line__reply)").allTextContents();
      return texts.map((text) => text.trim());
    };
    const asked = () => hub.model.requests.length;
    const WAITS = "Waiting for the reply before it.";

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
      // The unanswered line stays where it was written. The log has the order of what is stored.
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
  },
);

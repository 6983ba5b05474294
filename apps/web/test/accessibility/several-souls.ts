import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { turn } from "../rooms/composer-steps.ts";
import { button } from "../rooms/message-steps.ts";
import { openDrawer } from "../rooms/panel-steps.ts";
import { describeSharedRoom } from "../rooms/shared-room.ts";
import { isLive, say } from "../steps.ts";
import { axeViolations } from "./axe-violations.ts";

const look = { bypassCSP: true, reducedMotion: "reduce" } as const;

export const describeSeveralSouls = () =>
  describeSharedRoom("accessibility of a room of several souls", look, (shared) => {
    const field = (page: Page) => page.getByLabel(/^Message to/);

    it("with messages off the record, and the next one", async () => {
      const { page } = shared.ada;
      await shared.open("aside", "both", shared.ada);
      await turn(page, "Off the record");
      await say(page, "Between us.");
      await page.locator(".line__off-record").waitFor();
      await field(page).fill("And this.");
      expect(await axeViolations(page)).toEqual([]);
      await page.route("**/trpc/chat.say*", (route) => route.abort());
      await field(page).press("Enter");
      await button(page, "Send again").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.unroute("**/trpc/chat.say*");
    });

    it("with the names to mention", async () => {
      const { page } = shared.ada;
      await shared.open("mention", "both", shared.ada);
      await field(page).pressSequentially("@");
      await page.getByRole("listbox", { name: "Mention" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
    });

    it("while a soul replies after another one, and when it has failed", async () => {
      const { page } = shared.ada;
      await shared.open("streaming", "both", shared.ada);
      const first = shared.hub.model.holdNext();
      const second = shared.hub.model.holdNext();
      await say(page, "@orla and @ben?");
      first();
      await button(page, "Stop the reply of Ben").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      second();
      await button(page, "Stop the reply of Ben").waitFor({ state: "detached" });
      shared.failing.add("Ben");
      await say(page, "@orla and @ben again?");
      await page.getByText("The model did not answer").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      shared.failing.clear();
    });

    it("with the search for another soul, and a refused one", async () => {
      const { page } = shared.ada;
      const gated = { title: "Gated", content: "Secret.", nft_contract: "keys.near" };
      await shared.hub.post("/api/souls", gated, shared.grace.key);
      await shared.open("search", "both", shared.ada);
      const side = page.locator(".room__aside");
      await button(page, "Add a soul").click();
      await side.getByLabel("Search public souls").fill("gated");
      await side.getByRole("button", { name: /^Gated/ }).click();
      await side.getByText("Only public souls without an NFT gate can join a room.").waitFor();
      expect(await axeViolations(page)).toEqual([]);
    });

    it("with the souls in the drawer of a phone", async () => {
      const { page } = shared.ada;
      await shared.open("drawer", "both", shared.ada);
      await page.setViewportSize({ width: 390, height: 844 });
      const drawer = await openDrawer(page);
      await button(drawer, "Add a soul").click();
      await drawer
        .getByRole("button", { name: /^by|by grace/ })
        .first()
        .waitFor();
      expect(await axeViolations(page)).toEqual([]);
    });

    it("with the hint that no soul was mentioned", async () => {
      const { page } = shared.ada;
      const room = await shared.open("addressed", "both");
      await shared.hub.put("/api/room", { ...room, answers: "addressed" }, shared.ada.key);
      await page.goto(`/chat/${room.soul_id}/addressed`);
      await isLive(page);
      await say(page, "Good morning.");
      await page.getByText("Nothing was spent").waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await button(page, "Close the hint").click();
      await page.getByText("Nothing was spent").waitFor({ state: "detached" });
    });
  });

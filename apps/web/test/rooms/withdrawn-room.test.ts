import { expect, it } from "vitest";
import { eventually, load } from "../steps.ts";
import { button, line } from "./message-steps.ts";
import { describeSharedRoom } from "./shared-room.ts";

/** A conversation belongs to the people who wrote it (0076). */
describeSharedRoom("a room whose soul is withdrawn", {}, (shared) => {
  const soul = () => `/api/soul/${shared.orla}`;

  it("tells its people at once, and offers what they may still do", async () => {
    const { hub, ada, grace } = shared;
    const { page } = ada;
    await shared.open("withdrawn", "orla", ada);
    await button(page, "Answer again").waitFor();
    await hub.put(soul(), { is_public: 0 }, grace.key);
    await page.getByText("This soul is private now.").waitFor();
    expect(await page.getByLabel(/^Message to/).count()).toBe(0);
    for (const name of ["Answer again", "Invite people", "Add a soul"]) {
      expect([name, await button(page, name).count()]).toEqual([name, 0]);
    }
    await button(page, "Room menu").click();
    const items = page.getByRole("menuitem");
    await eventually(() => items.allTextContents()).toEqual(["Export", "Delete the conversation"]);
    await page.keyboard.press("Escape");
    await page.getByRole("status").getByRole("button", { name: "Export" }).click();
    await page.getByRole("dialog", { name: "Export the conversation" }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("can still be read at its address after the soul was deleted", async () => {
    const { hub, ada, grace } = shared;
    const { page } = ada;
    await hub.delete(soul(), grace.key);
    await load(page, `/chat/${shared.orla}/withdrawn`);
    await page.getByText("This soul was deleted.").waitFor();
    await line(page, "Hello.").first().waitFor();
  });
});

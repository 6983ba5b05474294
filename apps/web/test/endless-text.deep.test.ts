import { it } from "vitest";
import { describeBrowser } from "./describe-browser.ts";
import { isLive } from "./steps.ts";

const visitors = { reader: { as: "member" } } as const;

describeBrowser("a soul of endless text", { visitors }, (hub, { reader }) => {
  it.each([
    ["one endless word", "a".repeat(199_000)],
    ["blanks between two letters", `a${" ".repeat(199_000)}b`],
    ["quotes within quotes", ">".repeat(199_000)],
    ["lists within lists", "1. ".repeat(66_000)],
    ["emphasis that never ends", "_a".repeat(99_000)],
  ])("keeps the page responsive with %s", async (_, content) => {
    const { id } = await hub.post("/api/souls", { title: "Endless", content }, reader.key);
    await reader.page.goto(`/soul/${id}`);
    await reader.page.getByRole("link", { name: "Talk: Endless" }).click();
    await isLive(reader.page);
  });
});

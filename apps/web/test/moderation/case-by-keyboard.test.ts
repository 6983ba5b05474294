import { beforeAll, expect, it } from "vitest";
import { axeViolations } from "../accessibility/axe-violations.ts";
import { describeBrowser } from "../describe-browser.ts";
import { eventually } from "../steps.ts";
import { decide, inDialog, keys, look, promote, sendReport } from "./staff-steps.ts";

const visitors = {
  grace: { as: "vip", look },
  guest: { as: "guest", look },
  mia: { as: "pro", look },
  noa: { as: "pro", look },
} as const;

/** From a report to its end, through the pages (0062). The staff use the keyboard alone. */
describeBrowser("a case", { visitors }, (hub, { grace, guest, mia, noa }) => {
  let soul: string;

  const publish = async (title: string) => {
    const { id } = await hub.post("/api/souls", { title, content: `I am ${title}.` }, grace.key);
    return Number(id);
  };

  beforeAll(async () => {
    await promote(hub, "mia", "moderator");
    await promote(hub, "noa", "admin");
    soul = `/soul/${await publish("Night Watch")}`;
  });

  it("begins with the report of a guest", async () => {
    const { page } = guest;
    await page.goto(soul);
    await page.getByRole("button", { name: "Report" }).click();
    await page.getByRole("button", { name: "Send the report" }).click();
    await page.getByText("An answer is required").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await sendReport(page, "private_data", "It shows my address.");
    // The author has no button to report its own soul.
    await grace.page.goto(soul);
    await grace.page.getByRole("button", { name: "Delete" }).waitFor();
    expect(await grace.page.getByRole("button", { name: "Report" }).count()).toBe(0);
  });

  it("is found and decided with the keyboard alone", async () => {
    const { page } = mia;
    await decide(hub, mia.key, { kind: "person", username: "grace" }, { action: "warn" });
    const second = await publish("Other Watch");
    await hub.post("/api/mod/cases", { kind: "soul", soul_id: second }, mia.key);
    await page.goto("/admin");
    await page.getByRole("link", { name: "Night Watch" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await keys(page, "j", "j", "k", "Enter");
    await page.getByRole("heading", { name: /^Case \d+: the soul “Night Watch”/ }).waitFor();
    await page.getByText("It shows my address.").waitFor();
    await page.getByText("I am Night Watch.").waitFor();
    // The author's history.
    await page.getByText("Please take the address out.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    // Control and H is the browser's.
    const isLeftAlone = await page.evaluate(() =>
      document.body.dispatchEvent(
        new KeyboardEvent("keydown", { key: "h", ctrlKey: true, bubbles: true, cancelable: true }),
      ),
    );
    expect(isLeftAlone).toBe(true);
    await keys(page, "h");
    await inDialog(page, "Hide the soul");
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.type("Your soul shows where somebody lives.");
    await keys(page, "Control+Enter");
    // The next case has the focus.
    await eventually(() =>
      page.evaluate(() => document.activeElement?.closest("a")?.textContent),
    ).toContain("Other Watch");
    await keys(page, "Enter");
    await page.getByRole("heading", { name: /Other Watch/ }).waitFor();
    await keys(page, "d");
    await inDialog(page, "Dismiss");
    await keys(page, "Enter");
    await page.getByText("Nothing waits for you.").waitFor();
  });

  it("tells the author why, and takes one appeal", async () => {
    await guest.page.goto(soul);
    await guest.page.getByRole("heading", { name: "This soul doesn't exist" }).waitFor();
    const { page } = grace;
    await page.goto(soul);
    const hidden = page.getByRole("region", { name: "Hidden by the moderators" });
    await hidden.getByText("Your soul shows where somebody lives.").waitFor();
    await hidden.getByText("Reason: Private data of a person.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.goto("/notices");
    const notice = page.getByRole("article", { name: "Your soul is hidden" });
    await notice.getByRole("button", { name: "Appeal" }).click();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel("Why should the staff decide otherwise?").fill("It is my own shop.");
    await page.getByRole("button", { name: "Send the appeal" }).click();
    await notice.getByText("The staff have not decided about it yet.").waitFor();
    expect(await notice.getByRole("button", { name: "Appeal" }).count()).toBe(0);
  });

  it("is decided again by other staff", async () => {
    await mia.page.goto("/admin?state=appealed");
    await mia.page.getByRole("link", { name: "Night Watch" }).waitFor();
    await keys(mia.page, "j", "Enter");
    await mia.page.getByText("It is my own shop.").waitFor();
    await keys(mia.page, "r");
    await inDialog(mia.page, "Restore");
    await mia.page.keyboard.type("We were wrong.");
    await keys(mia.page, "Control+Enter");
    await mia.page.getByText("This was your own decision.").waitFor();
    const { page } = noa;
    await page.goto("/admin?state=appealed");
    await page.getByRole("link", { name: "Night Watch" }).waitFor();
    await keys(page, "j", "Enter");
    await page.getByText("It is my own shop.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await keys(page, "r");
    await inDialog(page, "Restore");
    await page.keyboard.type("It is a shop, you are right.");
    await keys(page, "Control+Enter");
    await page.getByText("No appeal waits for you.").waitFor();
    await guest.page.goto(soul);
    await guest.page.getByRole("heading", { name: "Night Watch" }).waitFor();
    await grace.page.goto("/notices");
    await grace.page.getByText("The staff agreed with you and took the decision back.").waitFor();
    expect(await axeViolations(grace.page)).toEqual([]);
  });

  it("is shown anew if other staff have changed it meanwhile, and the message is kept", async () => {
    const { page } = noa;
    const soul_id = await publish("Twice Seen");
    const target = { kind: "soul", soul_id };
    const { id } = await hub.post("/api/mod/cases", target, mia.key);
    await page.goto(`/admin?case=${id}`);
    await page.getByRole("heading", { name: /Twice Seen/ }).waitFor();
    await keys(page, "h");
    await page.getByLabel("Message to grace").fill("A careful message.");
    await decide(hub, mia.key, target, { action: "warn" });
    await keys(page, "Control+Enter");
    await page.getByText("The case has just changed.").waitFor();
    await page.getByText("Warn: Private data of a person").first().waitFor();
    await keys(page, "h");
    await inDialog(page, "Hide the soul");
    await eventually(() => page.getByLabel("Message to grace").inputValue()).toBe(
      "A careful message.",
    );
    await keys(page, "Control+Enter");
    await eventually(async () => (await fetch(`${hub.url}/api/soul/${soul_id}`)).status).toBe(404);
  });
});

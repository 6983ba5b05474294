import { beforeAll, expect, it } from "vitest";
import { describeBrowser } from "./describe-browser.ts";
import { eventually, publishSoul, signUp } from "./steps.ts";

const visitors = { grace: { as: "member" }, reader: { as: "guest" } } as const;

describeBrowser("a soul behind an NFT gate", { visitors }, (_, { grace, reader }) => {
  let address: string;

  beforeAll(async () => {
    await publishSoul(grace.page, {
      title: "Harbour Pilot",
      files: [["SOUL.md", "You know every rock."]],
    });
    address = new URL(grace.page.url()).pathname;
  });

  it("is set by the author, who can still read and talk", async () => {
    const { page } = grace;
    await page.goto(`${address}/edit`);
    await page.getByText("More", { exact: true }).click();
    await page.getByLabel("NFT gate").fill("No contract!");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Must be a NEAR account name").waitFor();
    await page.getByLabel("NFT gate").fill(" Pilots.near ");
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(new RegExp(`${address}$`));
    await page.getByText("pilots.near").waitFor();
    await page.getByText("You know every rock.").waitFor();
    await page.getByRole("link", { name: "Talk: Harbour Pilot" }).waitFor();
  });

  it("shows other readers the requirement and their next step", async () => {
    const { page } = reader;
    await page.goto(address);
    await page.getByRole("heading", { name: "For holders" }).waitFor();
    await page.getByText("to the account with your wallet").waitFor();
    await signUp(page, "alan");
    await page.goto(address);
    await page.getByRole("link", { name: "Bind one in your settings" }).waitFor();
    await eventually(() => page.getByText("You know every rock.").count()).toBe(0);
    await eventually(() => page.getByRole("link", { name: /^Talk/ }).count()).toBe(0);
  });

  it("leads visitors of a room to the settings, without offering a new room", async () => {
    const { page } = reader;
    await page.goto(`/chat${address.replace("/soul", "")}/lobby`);
    await page.getByRole("heading", { name: "This soul is for holders of an NFT" }).waitFor();
    await eventually(() => page.getByRole("link", { name: /Start a room/ }).count()).toBe(0);
    await page.getByRole("link", { name: "Open settings" }).click();
    await page.getByRole("heading", { name: "Wallet" }).waitFor();
  });

  it("hides the texts of the history", async () => {
    const { page } = reader;
    await page.goto(`${address}/history`);
    await page.getByText("An NFT gate hides the text of").waitFor();
    await eventually(() => page.getByText("You know every rock.").count()).toBe(0);
    expect([...grace.complaints, ...reader.complaints]).toEqual([]);
  });
});

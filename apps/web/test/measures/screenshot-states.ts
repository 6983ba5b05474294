import type { Page } from "playwright-core";
import { openOptions } from "../rooms/composer-steps.ts";
import { menuNamed, openMenu, press } from "../rooms/message-steps.ts";
import { choose } from "../sharing/menu-steps.ts";
import { PASSWORD } from "../sign-in.ts";
import { answerAs } from "./answer-as.ts";

/** Shows a mailed link that still works. */
const knownLink = (page: Page, purpose: string) => {
  const data = { purpose, username: "ada", email: "ada@example.org" };
  return answerAs(page, "accounts.describeLink", /^.*$/s, JSON.stringify({ result: { data } }));
};

/** A character card, as a file. */
const card = JSON.stringify({
  spec: "chara_card_v3",
  spec_version: "3.0",
  data: {
    name: "Orla",
    description: "Keeps the light at Skarholm.",
    personality: "Calm.",
    first_mes: "Come in, {{user}}.",
    character_book: {
      entries: [
        { keys: ["storm"], content: "x".repeat(30_000), enabled: true, insertion_order: 1 },
      ],
    },
  },
});

/** The lines of people. */
const of = {
  anybody: ".line[data-by=user]",
  another: ".line[data-own=false][data-by=user]",
} as const;

/** The steps on a page before its screenshot. */
export const states: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  palette: async (page) => {
    await page.keyboard.press("Control+k");
    await page.getByLabel("Find a page, a soul or a room").fill("i");
    await page.getByText(/^by /).first().waitFor();
  },
  keys: async (page) => {
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  },
  share: async (page) => {
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("img", { name: /^QR code/ }).waitFor();
  },
  "use-it": openUseIt,
  "use-it-private": openUseIt,
  "use-it-terminal": async (page) => {
    await openUseIt(page);
    await page.getByRole("region", { name: "Terminal" }).scrollIntoViewIfNeeded();
  },
  "guest-use-it": openUseIt,
  "my-souls-undo": async (page) => {
    await page.getByRole("button", { name: "Delete: Notes to self" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
  },
  "export-version": async (page) => {
    await page.getByRole("button", { name: "Export v3" }).click();
    await page.getByRole("dialog", { name: "Export v3" }).waitFor();
  },
  "import-file": async (page) => {
    await page.getByRole("button", { name: "Add a file" }).click();
    await chooseFile(page, /^From this device/, "orla.json", card);
    await page.getByRole("dialog").getByRole("switch").waitFor();
  },
  "import-refused": async (page) => {
    await page.getByRole("button", { name: "Add a file" }).click();
    await chooseFile(
      page,
      /^From this device/,
      "broken.json",
      '{"spec":"chara_card_v3","data":{}}',
    );
    await page.getByText("This file can't be imported").waitFor();
  },
  "settings-keys": async (page) => {
    await createKey(page);
    await page.getByText("Copy the new key now").waitFor();
    await page.getByRole("region", { name: "Keys for programs" }).evaluate(toTop);
  },
  "settings-new-key": async (page) => {
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByRole("form", { name: "New key" }).evaluate(toTop);
  },
  "settings-email": async (page) => {
    const section = page.getByRole("region", { name: "Email", exact: true });
    await section.getByRole("button", { name: "Change the address" }).click();
    await section.evaluate(toTop);
  },
  "settings-sessions": (page) => page.getByRole("region", { name: "Sessions" }).evaluate(toTop),
  "settings-blocks": async (page) => {
    await answerAs(page, "accounts.blocks", ...blocked);
    await page.getByRole("region", { name: "Blocked people" }).evaluate(toTop);
  },
  "settings-delete": async (page) => {
    await page.getByRole("button", { name: "Delete my account" }).click();
    await page.getByRole("dialog").getByLabel("Your password").waitFor();
  },
  "verify-notice": (page) => answerAs(page, "about.hub", '"optional"', '"required"'),
  "block-person": async (page) => {
    await page.getByRole("button", { name: "Block: grace" }).click();
    await page.getByRole("dialog").waitFor();
  },
  "blocked-messages": async (page) => {
    await answerAs(page, "accounts.blocks", ...blocked);
    await page.getByText("Message of a blocked person").first().waitFor();
  },
  "sign-up-invite": (page) => answerAs(page, "about.hub", '"open"', '"invite"'),
  "sign-up-closed": (page) => answerAs(page, "about.hub", '"open"', '"closed"'),
  "forgot-password-sent": async (page) => {
    await page.getByLabel("Username or email").fill("ada");
    await page.getByRole("button", { name: "Send me a link" }).click();
    await page.getByRole("heading", { name: "Look into your mail" }).waitFor();
  },
  "forgot-password-no-mail": (page) => answerAs(page, "about.hub", '"mail":true', '"mail":false'),
  "reset-password": (page) => knownLink(page, "reset-password"),
  "verify-email": (page) => knownLink(page, "restore-email"),
  "account-closed": closeAccount,
  "settings-data": (page) => page.getByRole("region", { name: "Your data" }).evaluate(toTop),
  "settings-archive": async (page) => {
    const archive = await page.request.get("/api/export");
    await chooseFile(page, "Import an archive", "ada.zip", await archive.body());
    await page.getByRole("row").last().waitFor();
  },
  "docs-v1": (page) => showChapter(page, "OpenAI's protocol"),
  "docs-mcp": (page) => showChapter(page, "Model Context Protocol"),
  "publish-refused": async (page) => {
    await page.getByText("More", { exact: true }).click();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page
      .getByLabel("Files of the soul")
      .setInputFiles([
        { name: "broken.zip", mimeType: "application/zip", buffer: Buffer.alloc(9) },
      ]);
    await page.getByRole("button", { name: "Only its texts, into the form" }).click();
    await page.getByText("broken.zip could not be opened").waitFor();
  },
  "sign-up-refused": async (page) => {
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Username is required").waitFor();
  },
  "printed-soul": async (page) => {
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  },
  "printed-room": (page) => page.emulateMedia({ media: "print" }),
  "menu-of-room": async (page) => {
    await page.getByRole("button", { name: "Room menu" }).click();
    await menuNamed(page, "Room menu").waitFor();
  },
  "menu-invite": (page) => openDialog(page, "Invite into this room"),
  "menu-people": async (page) => {
    await choose(page, "Who may enter");
    await page.getByRole("button", { name: "Change: grace" }).click();
  },
  "menu-invites": async (page) => {
    await choose(page, "Who may enter");
    await page.getByText(/uses of 5 left/).waitFor();
  },
  "menu-share": async (page) => {
    await openDialog(page, "Share to read only");
    await page.getByRole("button", { name: /^Revoke/ }).waitFor();
  },
  "menu-export": (page) => openDialog(page, "Export"),
  "message-restriction": async (page) => {
    await press(page, page.locator(of.another).last(), "Mute or ban the sender");
    await page.getByRole("dialog", { name: "Mute or ban grace" }).waitFor();
  },
  "invite-gone": async (page) => {
    await page.getByRole("button", { name: "Join the room" }).click();
    await page.getByText("This invite no longer works").waitFor();
  },
  "guest-name": (page) => openDialog(page, "Choose your name"),
  report: async (page) => {
    await page.getByRole("button", { name: "Report" }).click();
    await page.getByRole("dialog").waitFor();
  },
  "report-message": async (page) => {
    await press(page, page.locator(of.another).last(), "Report message");
    await page.getByRole("dialog").waitFor();
  },
  "notices-appeal": async (page) => {
    await page.getByRole("button", { name: "Appeal" }).first().click();
    await page.getByLabel("Why should the staff decide otherwise?").waitFor();
  },
  suspended: async (page) => {
    const standing = {
      state: "suspended",
      until: "2030-05-17 12:00:00",
      reason: "spam",
      decision_id: 1,
    };
    await page.route("**/trpc/*whoAmI*", async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace(
        '"moderation":null',
        `"moderation":${JSON.stringify(standing)}`,
      );
      await route.fulfill({ response, body: text });
    });
    await page.reload({ waitUntil: "networkidle" });
    await page.getByText("Your account is suspended until").waitFor();
    await page.unroute("**/trpc/*whoAmI*");
  },
  "admin-act": async (page) => {
    await page.keyboard.press("h");
    await page.getByRole("dialog").waitFor();
  },
  "admin-invites": async (page) => {
    await page.getByLabel("Note").fill("for the reading group");
    await page.getByRole("button", { name: "Create an invite" }).click();
    await page.getByText("Copy the link now").waitFor();
  },
  branches: (page) => page.locator(".room__scroll").evaluate((box) => box.scrollTo(0, 0)),
  "branch-elsewhere": (page) => page.getByRole("button", { name: "Earlier branch" }).last().click(),
  "composer-menu": async (page) => void (await openOptions(page)),
  "message-tools": async (page) => void (await openMenu(page, page.locator(of.anybody).last())),
  "message-editor": (page) => openTool(page, "Edit message"),
  "message-reaction": (page) => openTool(page, "React with another emoji"),
  "message-removal": async (page) => {
    await press(page, page.locator(of.anybody).last(), "Remove message");
    await page.getByRole("dialog", { name: "Remove this message?" }).waitFor();
  },
};

/** Scrolls the page so that an element is below the header. */
const toTop = (element: Element) => {
  scrollTo(0, element.getBoundingClientRect().top + scrollY - 96);
};

/** The API reference renders its chapters one after another. */
const CHAPTERS_MS = 2_000;

async function showChapter(page: Page, name: string) {
  await page.waitForTimeout(CHAPTERS_MS);
  await page.getByRole("heading", { name, exact: true }).first().evaluate(toTop);
}

async function openUseIt(page: Page) {
  await page.getByRole("button", { name: "Use it elsewhere" }).click();
  await page.getByRole("heading", { name: "Terminal" }).waitFor();
}

/** The pattern of the list of blocked people, and its replacement: ada has blocked grace. */
const blocked = [
  // The last empty list of the calls that the page sends together.
  /"count":0,"data":\[\](?!.*"count":0)/s,
  '"count":1,"data":[{"username":"grace","created_at":"2026-01-05 10:00:00"}]',
] as const;

/** Registers an account, and closes it until its deletion. */
async function closeAccount(page: Page) {
  const username = `leaving-${Date.now()}`;
  const account = { username, password: PASSWORD, email: `${username}@example.org` };
  await page.request.post("/api/register", { data: account });
  await page.request.post("/api/login", { data: { ...account, remember: true } });
  await page.goto("/settings/data");
  await page.getByRole("button", { name: "Delete my account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Delete my account" }).click();
  await page.getByRole("heading", { name: "Your account is closed" }).waitFor();
}

async function chooseFile(
  page: Page,
  button: string | RegExp,
  name: string,
  content: string | Buffer,
) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: button }).click();
  const buffer = Buffer.from(content as string);
  await (await chooser).setFiles({ name, mimeType: "", buffer });
}

async function createKey(page: Page) {
  await page.getByRole("button", { name: "Create a key" }).click();
  const form = page.getByRole("form", { name: "New key" });
  await form.getByLabel("Name").fill("My laptop");
  await form.getByLabel("Your password").fill(PASSWORD);
  await form.getByRole("button", { name: "Create the key" }).click();
}

/** Opens a dialog of the room's menu. */
async function openDialog(page: Page, item: string) {
  await choose(page, item);
  await page.getByRole("dialog").waitFor();
}

/** Opens a tool of the newest question. */
async function openTool(page: Page, name: string) {
  await press(page, page.locator(of.anybody).last(), name);
  await page.locator(".line__editor, .line__panel").waitFor();
}

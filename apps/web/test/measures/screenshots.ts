/**
 * `pnpm screenshots` takes screenshots of every page with example content, in both colour schemes
 * and two sizes. They go to the git-ignored folder `screenshots/`. Those of the README have double
 * resolution. `pnpm screenshots room browse-dark` takes only those whose names start with an
 * argument.
 */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { type BrowserHub, startBrowserHub } from "../browser-hub.ts";
import { type ExamplePages, exampleReplies, fillWithExamples } from "../example-content.ts";
import { choose } from "../sharing/menu-steps.ts";
import { signIn } from "../sign-in.ts";

const target = path.resolve(fileURLToPath(import.meta.url), "../../../../../screenshots");
const chromium = process.env.CHROMIUM_PATH || "/usr/bin/chromium";

const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const schemes = ["light", "dark"] as const;

/** The names of the screenshots in docs/images, as `name-scheme-width`. */
const inReadme = new Set([
  "browse-light-1440",
  "room-dark-1440",
  "history-light-1440",
  "soul-dark-390",
]);

const memberPages = ({
  folderSoul,
  singleSoul,
  room,
  branchedRoom,
  privateRoom,
  invite,
  shared,
}: ExamplePages) => ({
  browse: "/",
  search: "/?q=night",
  "no-result": "/?q=zzzzzz",
  soul: singleSoul,
  "soul-of-files": folderSoul,
  history: `${folderSoul}/history`,
  edit: `${folderSoul}/edit`,
  publish: "/publish",
  profile: "/u/grace",
  "mini-apps": "/apps",
  "mini-app": "/apps/trip-plan",
  "my-souls": "/my-souls",
  "my-chats": "/my-chats",
  "my-chats-search": "/my-chats?q=compiler",
  settings: "/settings",
  room,
  branches: branchedRoom,
  "branch-elsewhere": branchedRoom,
  "message-tools": branchedRoom,
  "message-editor": branchedRoom,
  "message-reaction": branchedRoom,
  "message-removal": branchedRoom,
  "menu-of-room": room,
  "menu-invite": room,
  "menu-people": room,
  "menu-invites": privateRoom,
  "menu-share": room,
  "menu-export": room,
  "menu-delete": room,
  "message-restriction": room,
  invite,
  "invite-gone": "/join/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  shared,
  "shared-gone": "/share/AAAAAAAAAAAAAAAAAAAAAA",
  "empty-room": `${folderSoul.replace("/soul/", "/chat/")}/a-new-room`,
  "not-found": "/no/such/page",
  "signed-in": "/sign-in",
  palette: "/apps",
  keys: "/apps",
  share: singleSoul,
  "publish-refused": "/publish",
  "printed-soul": folderSoul,
  "printed-room": room,
});

/** What happens on a page before its screenshot. */
const states: Readonly<Record<string, (page: Page) => Promise<void>>> = {
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
  "publish-refused": async (page) => {
    await page.getByText("More", { exact: true }).click();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page
      .getByLabel("Files of the soul")
      .setInputFiles([
        { name: "broken.zip", mimeType: "application/zip", buffer: Buffer.alloc(9) },
      ]);
    await page.getByText("broken.zip could not be opened").waitFor();
  },
  "sign-up-refused": async (page) => {
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Is required").first().waitFor();
  },
  "printed-soul": async (page) => {
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  },
  "printed-room": (page) => page.emulateMedia({ media: "print" }),
  "menu-of-room": async (page) => {
    await page.getByRole("button", { name: "Room menu" }).click();
    await page.getByRole("menuitem").last().waitFor();
  },
  "menu-invite": (page) => openDialog(page, "Invite into this room"),
  "menu-people": async (page) => {
    await openDialog(page, "People and rights");
    await page.getByRole("button", { name: "Change: grace" }).click();
  },
  "menu-invites": async (page) => {
    await openDialog(page, "People and invites");
    await page.getByText(/uses of 5 left/).waitFor();
  },
  "menu-share": async (page) => {
    await openDialog(page, "Share to read only");
    await page.getByRole("button", { name: /^Revoke/ }).waitFor();
  },
  "menu-export": (page) => openDialog(page, "Export"),
  "menu-delete": (page) => openDialog(page, "Delete the conversation"),
  "message-restriction": async (page) => {
    const line = page.locator(".line[data-own=false][data-by=user]").last();
    await line.getByRole("button", { name: "Message actions" }).focus();
    await page.keyboard.press("Enter");
    await line.getByRole("button", { name: "Mute or ban the sender" }).click();
    await page.getByRole("dialog", { name: "Mute or ban grace" }).waitFor();
  },
  "invite-gone": async (page) => {
    await page.getByRole("button", { name: "Join the room" }).click();
    await page.getByText("This invite no longer works").waitFor();
  },
  "guest-name": (page) => openDialog(page, "Choose your name"),
  branches: (page) => page.locator(".room__scroll").evaluate((box) => box.scrollTo(0, 0)),
  "branch-elsewhere": (page) => page.getByRole("button", { name: "Earlier branch" }).last().click(),
  "message-tools": async (page) => void (await showTools(page)),
  "message-editor": (page) => openTool(page, "Edit message"),
  "message-reaction": (page) => openTool(page, "React"),
  "message-removal": (page) => openTool(page, "Remove message"),
};

/** Opens a dialog of the room's menu. */
async function openDialog(page: Page, item: string) {
  await choose(page, item);
  await page.getByRole("dialog").waitFor();
}

/** Shows the tools of the newest question. */
async function showTools(page: Page) {
  const line = page.locator(".line[data-by=user]").last();
  await line.getByRole("button", { name: "Message actions" }).focus();
  await page.keyboard.press("Enter");
  return line;
}

async function openTool(page: Page, name: string) {
  const line = await showTools(page);
  await line.getByRole("button", { name, exact: true }).click();
  await line.locator(".line__editor, .line__panel").waitFor();
}

const guestPages = ({ room, invite, shared }: ExamplePages) => ({
  "guest-name": room,
  "guest-room": room,
  "guest-invite": invite,
  "guest-shared": shared,
  "sign-in": "/sign-in",
  "wallet-sign-in": "/sign-in/wallet",
  "sign-up": "/sign-up",
  "sign-up-refused": "/sign-up",
  "guest-front": "/",
  "guest-mini-apps": "/apps",
  "guest-mini-app": "/apps/trip-plan",
});

const selected = process.argv.slice(2);
const isSelected = (name: string) =>
  selected.length === 0 || selected.some((start) => name.startsWith(start));

async function takeAll(hub: BrowserHub) {
  const examples = await fillWithExamples(hub);
  // The screenshot of the room also shows a second participant, Grace.
  const grace = await hub.visitor();
  await signIn(grace.page, "grace");
  await grace.page.goto(examples.room);
  for (const viewport of sizes) {
    for (const colorScheme of schemes) {
      for (const deviceScaleFactor of [1, 2]) {
        const suffix = `${colorScheme}-${viewport.width}`;
        const wanted = ([name]: [string, string]) =>
          isSelected(`${name}-${suffix}`) &&
          inReadme.has(`${name}-${suffix}`) === (deviceScaleFactor === 2);
        const isPhone = viewport.width < 500;
        const input = { hasTouch: isPhone, isMobile: isPhone };
        const look = {
          viewport,
          colorScheme,
          deviceScaleFactor,
          reducedMotion: "reduce",
          ...input,
        } as const;
        const member = Object.entries(memberPages(examples)).filter(wanted);
        const guest = Object.entries(guestPages(examples)).filter(wanted);
        if (member.length + guest.length === 0) continue;
        const visitor = await hub.visitor(look);
        for (const [name, address] of guest) await take(visitor.page, address, `${name}-${suffix}`);
        if (member.length > 0) await signIn(visitor.page, "ada");
        for (const [name, address] of member)
          await take(visitor.page, address, `${name}-${suffix}`);
        await visitor.context.close();
      }
    }
  }
}

async function take(page: Page, address: string, name: string) {
  await page.emulateMedia({ media: "screen" });
  await page.goto(address, { waitUntil: "networkidle" });
  await page.evaluate(() => document.fonts.ready);
  // The page of a room shows "Live" once its client is connected.
  if (address.startsWith("/chat/")) await page.getByText("Live", { exact: true }).waitFor();
  const [, state = ""] = /^(.*)-(?:light|dark)-\d+$/.exec(name) ?? [];
  await states[state]?.(page);
  // The tools of a message are shown while the mouse is over it.
  await page.mouse.move(0, 0);
  const file = path.join(target, name);
  if (inReadme.has(name)) {
    const session = await page.context().newCDPSession(page);
    const shot = { format: "webp", quality: 82 } as const;
    const { data } = await session.send("Page.captureScreenshot", shot);
    await writeFile(`${file}.webp`, data, "base64");
  } else {
    await page.screenshot({ path: `${file}.png` });
  }
  console.log(name);
}

if (!existsSync(chromium)) {
  console.error(`No browser at ${chromium}: install Chromium, or name one by CHROMIUM_PATH.`);
  process.exitCode = 1;
} else {
  await mkdir(target, { recursive: true });
  await using hub = await startBrowserHub(chromium, exampleReplies, "new");
  await takeAll(hub);
  console.log(`All in ${path.relative(process.cwd(), target)}/`);
}

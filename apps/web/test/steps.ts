import { ADMIN_TOKEN } from "@soul-hub/api/testing";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { BrowserHub, Visitor } from "./browser-hub.ts";
import { PASSWORD, signIn } from "./sign-in.ts";

/** Polls a value until the assertion on it passes. */
export const eventually = <T>(read: () => Promise<T>) =>
  expect.poll(read, { timeout: 60_000, interval: 100 });

/**
 * Opens a path as a link in the page does. Only the first visit loads the page, since a load takes
 * most of the processor time of a test. Later ones keep what the page has read, so `goto` stays
 * where a test needs a new page.
 */
export async function visit(page: Page, path: string): Promise<void> {
  const isLoaded = await page.evaluate(async (href) => {
    const router = window.__TSR_ROUTER__;
    await router?.navigate({ href });
    return router !== undefined;
  }, path);
  if (!isLoaded) await page.goto(path);
}

/** Loads a path as the address bar does. */
export const load = (page: Page, path: string): Promise<unknown> => page.goto(path);

/** Opens a path by way of another page, which drops the forms, dialogs and lists of the page before. */
export async function visitAnew(page: Page, path: string): Promise<unknown> {
  // A dialog would take the focus back.
  await page.keyboard.press("Escape");
  await visit(page, "/no/such/page");
  return visit(page, path);
}

/** Registers an account by the API and signs the browser context in. */
export async function signUp(page: Page, username: string): Promise<void> {
  const account = { username, password: PASSWORD, email: `${username}@example.org` };
  const answer = await page.context().request.post("/api/register", { data: account });
  if (!answer.ok()) throw new Error(`${username} could not register: ${await answer.text()}`);
  await signIn(page, username);
}

export async function signUpByForm(page: Page, username: string): Promise<void> {
  await page.goto("/sign-up");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Email").fill(`${username}@example.org`);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: `Your account, ${username}` }).waitFor();
}

/** Registers an account with a pass; returns its API key. */
export async function passHolder(hub: BrowserHub, username: string, tier: "vip" | "pro") {
  const account = { username, password: PASSWORD, email: `${username}@example.org` };
  const { api_key } = await hub.post("/api/register", account);
  await givePass(hub, username, tier);
  return String(api_key);
}

export const givePass = (hub: BrowserHub, username: string, tier: "vip" | "pro") =>
  hub.post("/api/admin/pass", { username, tier, days: 1 }, ADMIN_TOKEN);

/** Options of a browser context: a phone. */
export const phone = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
} as const;

interface NewSoul {
  title: string;
  description?: string;
  files: ReadonlyArray<readonly [name: string, text: string]>;
}

/** Publishes a soul through the form, which leads to its page. */
export async function publishSoul(page: Page, soul: NewSoul): Promise<void> {
  await visit(page, "/publish");
  await page.getByLabel("Title").fill(soul.title);
  await page.getByLabel("Description").fill(soul.description ?? "");
  for (const [index, [name, text]] of soul.files.entries()) {
    if (index > 0) {
      await page.getByRole("button", { name: "Add a file" }).click();
      await page.getByRole("button", { name: /^A new file/ }).click();
      await page.getByLabel("Name of this file").fill(name);
    }
    await page.getByLabel(`Text of ${name}`).fill(text);
  }
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.waitForURL(/\/soul\/\d+$/);
  // The address changes first. Until the page does, the form would keep its reader.
  await page.getByRole("heading", { level: 1, name: soul.title }).waitFor();
}

/**
 * Waits until the room shows "Live". The timeout is long, because a client may try a slower
 * transport first after a lost connection.
 */
export const isLive = (page: Page) =>
  page.getByText("Live", { exact: true }).waitFor({ timeout: 90_000 });

/** Opens a room with the first soul, and waits until the room is live. */
export async function enterRoom({ page }: Visitor, name: string): Promise<Page> {
  await visit(page, `/chat/1/${name}`);
  await isLive(page);
  return page;
}

export async function say(page: Page, line: string): Promise<void> {
  const box = page.getByLabel(/^Message to/);
  await box.fill(line);
  await box.press("Enter");
}

/** The stored replies of a room, or of a part of it. A reply in progress is none of them. */
export const replies = (at: Page | Locator) => at.locator('.line[id][data-by="assistant"]');

/** Waits until a room shows a number of {@link replies}. */
export const replied = (page: Page, count = 1) =>
  eventually(() => replies(page).count()).toBe(count);

/** Returns the entries of the participant list in the side panel. */
export const people = (page: Page) =>
  page
    .getByRole("complementary", { name: "About this room" })
    .getByRole("list", { name: "People" })
    .getByRole("listitem");

/**
 * Sends the messages that a guest has left today, in another room. The open page does not know of
 * them until it reads the quota again.
 */
export async function useUpQuota(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let count = 1; ; count++) {
      const body = JSON.stringify({
        soul_id: 1,
        session_token: "another-client",
        content: `Message ${count}`,
      });
      const headers = { "content-type": "application/json" };
      const response = await fetch("/trpc/chat.send", { method: "POST", headers, body });
      if (response.status === 429) return;
      if (!response.ok) throw new Error(await response.text());
    }
  });
}

/**
 * Lets a test hold back what the hub sends. Call it before the page opens its WebSocket. After some
 * seconds the page takes the connection for lost.
 */
export async function holdableSocket(page: Page) {
  let isHeld = false;
  const held: (() => void)[] = [];
  await page.routeWebSocket(/trpc/, (socket) => {
    socket.connectToServer().onMessage((data) => {
      const deliver = () => socket.send(data);
      if (isHeld) held.push(deliver);
      else deliver();
    });
  });
  return {
    hold() {
      isHeld = true;
    },
    /** Delivers the held messages. The socket then delivers each later message at once. */
    release() {
      isHeld = false;
      for (const deliver of held.splice(0)) deliver();
    },
  };
}

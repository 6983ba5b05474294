import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BrowserHub, startBrowserHub, type Visitor } from "../browser-hub.ts";
import { type ExamplePages, fillWithExamples } from "../example-content.ts";
import { signIn } from "../sign-in.ts";
import { load, signUp, visitAnew } from "../steps.ts";
import { axeViolations } from "./axe-violations.ts";

const { chromium } = inject("services");
const LONG_MS = 180_000;
const look = { bypassCSP: true, reducedMotion: "reduce" } as const;

/**
 * A state of a page: its path, the steps that lead to the state, and an element shown only then.
 */
type State = readonly [
  name: string,
  path: string | (() => string),
  steps: (page: Page) => Promise<unknown>,
  landmark: (page: Page) => ReturnType<Page["getByText"]>,
];

const none = async () => {};
const press = (name: string) => (page: Page) =>
  page.getByRole("button", { name, exact: true }).click();
const heading = (name: string | RegExp) => (page: Page) => page.getByRole("heading", { name });
const text = (content: string | RegExp) => (page: Page) => page.getByText(content).first();
const openPalette = (query: string) => async (page: Page) => {
  await page.keyboard.press("Control+k");
  await page.getByLabel("Find a page, a soul or a room").fill(query);
};
/** Makes the calls of a procedure fail with a network error until the page is left. */
const failing = (procedure: string, path: string) => async (page: Page) => {
  await page.route(`**/trpc/*${procedure}*`, (route) => route.abort());
  await page.goto(path);
};

export const describePageStates = () =>
  describe.skipIf(!chromium)("accessibility of every state of a page", { timeout: LONG_MS }, () => {
    let hub: BrowserHub;
    let pages: ExamplePages;
    let gated: string;
    let guest: Visitor;
    /** A member with souls and rooms. */
    let author: Visitor;
    /** A member without souls and rooms. */
    let newcomer: Visitor;

    beforeAll(async () => {
      hub = await startBrowserHub(chromium ?? "");
      pages = await fillWithExamples(hub);
      const linus = {
        username: "linus",
        password: "correct horse battery",
        email: "l@example.org",
      };
      const key = String((await hub.post("/api/register", linus)).api_key);
      const soul = { title: "For holders", content: "Secret.", nft_contract: "keys.near" };
      gated = `/soul/${(await hub.post("/api/souls", soul, key)).id}`;
      guest = await hub.visitor(look);
      author = await hub.visitor(look);
      await signIn(author.page, "ada");
      newcomer = await hub.visitor(look);
      // The browser tab would restore the unsent draft of the previous test, so each page load clears
      // the session storage.
      await newcomer.context.addInitScript(() => {
        if (location.protocol.startsWith("http")) sessionStorage.clear();
      });
      await signUp(newcomer.page, "nora");
    }, LONG_MS);
    afterAll(() => hub?.[Symbol.asyncDispose](), LONG_MS);

    async function check({ page }: Visitor, [, path, steps, landmark]: State, open = visitAnew) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await open(page, typeof path === "string" ? path : path());
      await page.getByRole("contentinfo").waitFor();
      await steps(page);
      await landmark(page).waitFor();
      const found = await axeViolations(page);
      await page.unrouteAll({ behavior: "ignoreErrors" });
      expect(found).toEqual([]);
    }

    const ofGuest: readonly State[] = [
      ["a search without results", "/?q=zzzzzz", none, heading("No souls match")],
      ["a category", "/?role=education", none, heading(/in .* Education/)],
      [
        "a list that failed to load",
        "/apps",
        failing("souls.list", "/?q=x"),
        heading("No connection"),
      ],
      ["a soul, signed out", () => pages.singleSoul, none, text("to like it, rate it or fork it")],
      ["a gated soul", () => gated, none, text("Only holders of a token")],
      ["a user without an account", "/u/unknown-user", none, heading("This user doesn't exist")],
      ["an unknown mini app", "/apps/none", none, heading("This mini app doesn't exist")],
      ["no matching mini app", "/apps?q=zzzzzz", none, heading("No mini app matches")],
      [
        "empty fields for signing up",
        "/sign-up",
        press("Create account"),
        text("Username is required"),
      ],
      ["a mini app, signed out", "/apps/trip-plan", none, text("Sign in to continue")],
      ["publishing, signed out", "/publish", none, heading("Publish a soul")],
      ["settings, signed out", "/settings", none, heading("Settings")],
      ["editing, signed out", () => `${pages.singleSoul}/edit`, none, heading("Sign in to edit")],
      [
        "wrong credentials",
        "/sign-in",
        async (page) => {
          await page.getByLabel("Username").fill("ada");
          await page.getByLabel("Password", { exact: true }).fill("not this one");
          await page.getByRole("button", { name: "Sign in" }).click();
        },
        text("Username or password is wrong."),
      ],
      [
        "a refused wallet proof",
        "/sign-in/wallet",
        async (page) => {
          await page.getByText("Paste a signature").click();
          await page.getByLabel("NEAR account").fill("No account!");
          await page.getByLabel("Public key").fill("ed25519:x");
          await page.getByLabel("Signature").fill("x");
          await page.getByRole("button", { name: "Sign in" }).click();
        },
        (page) => page.getByRole("alert"),
      ],
      [
        "a taken username and a weak password",
        "/sign-up",
        async (page) => {
          await page.getByLabel("Username").fill("ada");
          await page.getByLabel("Email").fill("x@example.org");
          await page.getByLabel("Password", { exact: true }).fill("aaaaaaaa");
          await page.getByRole("button", { name: "Create account" }).click();
        },
        text("That username is taken."),
      ],
    ];
    const ofAuthor: readonly State[] = [
      ["signing in, signed in", "/sign-in", none, heading("You are signed in")],
      ["the palette", "/apps", openPalette("night"), text("by ada")],
      ["the keys", "/apps", (page) => page.keyboard.press("?"), heading("Keyboard shortcuts")],
      [
        "the share dialog",
        () => pages.singleSoul,
        press("Share"),
        (page) => page.getByRole("img", { name: /^QR code/ }),
      ],
      ["the account menu", "/apps", press("Your account, ada"), text("Sign out")],
      [
        "a deletion that can be undone",
        "/my-souls",
        async (page) => {
          await page.getByRole("button", { name: "Delete: Harbour Pilot" }).click();
          await page.getByRole("button", { name: "Undo" }).waitFor();
        },
        text("your own rooms with it are deleted"),
      ],
      [
        "messages found in own rooms",
        "/my-chats",
        (page) => page.getByLabel("Search rooms and souls").fill("compiler"),
        (page) => page.locator("mark").first(),
      ],
      [
        "own rooms that failed to load",
        "/apps",
        failing("chat.sessions", "/my-chats"),
        text("No connection to the hub"),
      ],
      [
        "a search of own rooms that failed",
        "/apps",
        failing("chat.search", "/my-chats?q=compiler"),
        (page) => page.getByRole("button", { name: "Search again" }),
      ],
      [
        "one's own private soul and its use elsewhere",
        () => pages.privateSoul,
        press("Use it elsewhere"),
        text("other people cannot use it in any program"),
      ],
      [
        "a version to export",
        () => `${pages.folderSoul}/history`,
        press("Export v3"),
        heading("Export v3"),
      ],
      ["another author's soul", () => `${pages.singleSoul}/edit`, none, heading(/another account/)],
      [
        "a signed version and how to check it",
        () => `${pages.folderSoul}/history`,
        (page) => page.getByText("How to check").click(),
        text("The command works offline"),
      ],
      [
        "the form for a note of a version",
        () => `${pages.folderSoul}/history?version=3&with=1`,
        press("Edit note"),
        (page) => page.getByRole("button", { name: "Save note" }),
      ],
      [
        "the form for a signature",
        () => `${pages.folderSoul}/history?version=2`,
        async (page) => {
          await press("Sign")(page);
          await page.getByText("NEP-413 message", { exact: true }).click();
          await page.getByLabel("Public key").fill("ed25519:x");
          await page.getByLabel("Signature", { exact: true }).fill("x");
          await press("Sign v2")(page);
        },
        (page) => page.getByRole("alert"),
      ],
      [
        "a hidden version with its text",
        () => `${pages.folderSoul}/history?version=1`,
        press("Hide from others"),
        text("Hidden: only you can see it"),
      ],
      [
        "an unknown version",
        () => `${pages.folderSoul}/history?version=9`,
        none,
        heading("v9 can't be shown"),
      ],
      [
        "a comparison with an unknown version",
        () => `${pages.folderSoul}/history?with=9`,
        none,
        text("v9 can't be compared"),
      ],
      [
        "the dialog for a new key",
        "/settings/keys",
        press("Replace the key"),
        heading("Replace the API key?"),
      ],
      ["the form for a new key", "/settings/keys", press("Create a key"), text("Create the key")],
      ["the form for a provider key", "/settings/keys", press("Add a key"), text("Test and save")],
      [
        "a wrong current password",
        "/settings/security",
        async (page) => {
          await page.getByLabel("Current password").fill("not this one");
          await page.getByLabel("New password", { exact: true }).fill("a quieter battery staple");
          await page.getByLabel("New password again").fill("a quieter battery staple");
          await page.getByRole("button", { name: "Change the password" }).click();
        },
        text("The current password is wrong"),
      ],
    ];
    const ofNewcomer: readonly State[] = [
      [
        "settings without a wallet",
        "/settings/security",
        press("Add a passkey"),
        text("Paste a signature"),
      ],
      ["no souls", "/my-souls", none, heading("You have no souls yet")],
      ["no chats", "/my-chats", none, (page) => page.getByRole("heading", { level: 2 })],
      ["a profile without souls", "/u/nora", none, heading("You have no public souls yet")],
      ["a gated soul without a wallet", () => gated, none, text("Your account has no wallet.")],
      [
        "a mini app's invalid form",
        "/apps/trip-plan",
        (page) => page.getByRole("button", { name: /^Talk to/ }).click(),
        text(/fields need your attention/),
      ],
    ];
    /** The page asks before it is left with an unsaved draft, so it is loaded anew. */
    const withDraft: readonly State[] = [
      ["an empty draft refused", "/publish", press("Publish"), text("Enter a title")],
      [
        "a draft in CodeMirror, over the limit",
        "/publish",
        async (page) => {
          await page.getByLabel("Title").fill("x".repeat(130));
          await page
            .getByLabel("Text of SOUL.md")
            .fill("# Title\n\n`code` and [link](https://a.b)");
          await page.getByRole("button", { name: "Add a file" }).click();
          await page.getByRole("button", { name: /^A new file/ }).click();
          await page.getByRole("button", { name: "Add a file" }).click();
          await page.getByLabel("Name of this file").fill("bad name");
        },
        text("10 characters over the limit"),
      ],
      [
        "a trial of a draft",
        "/publish",
        async (page) => {
          await page.getByLabel("Title").fill("The Cartographer");
          await page.getByLabel("Text of SOUL.md").fill("I draw maps.");
          await press("Try")(page);
          await page.getByLabel("Message to The Cartographer").fill("Which way is north?");
          await page.keyboard.press("Enter");
        },
        text(/You said/),
      ],
      [
        "the dialog for unsaved changes",
        "/publish",
        async (page) => {
          await page.getByLabel("Title").fill("A draft");
          await page.getByRole("link", { name: "Mini apps" }).first().click();
        },
        heading("Leave without saving?"),
      ],
      [
        "a soul that the hub refuses",
        "/publish",
        async (page) => {
          await page.getByLabel("Title").fill("A draft");
          await page.getByText("More", { exact: true }).click();
          await page.getByLabel("NFT gate").fill("No contract!");
          await page.getByLabel("Text of SOUL.md").fill("Text.");
          await page.getByRole("button", { name: "Publish", exact: true }).click();
        },
        text("Must be a NEAR account name or empty"),
      ],
    ];

    it.each(ofGuest)("for a guest: %s", async (...state) => check(guest, state));
    it.each(ofAuthor)("for an author: %s", async (...state) => check(author, state));
    it.each(ofNewcomer)("for a newcomer: %s", async (...state) => check(newcomer, state));
    it.each(withDraft)("for a newcomer: %s", async (...state) => check(newcomer, state, load));

    it("moves the focus to the first invalid field of a refused form", async () => {
      const { page } = newcomer;
      await page.goto("/apps/trip-plan");
      await page.getByRole("button", { name: /^Talk to/ }).click();
      await page.getByText(/fields need your attention/).waitFor();
      expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-invalid"))).toBe(
        "true",
      );
    });

    it("explains an exception in the page", async () => {
      const { page, context } = await hub.visitor(look);
      await page.goto("/publish");
      await page.getByRole("contentinfo").waitFor();
      await page.route("**/assets/mini-apps-*.js", (route) => route.abort());
      await page.getByRole("link", { name: "Mini apps" }).first().click();
      await page.getByRole("heading", { name: "Something went wrong on this page" }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await context.close();
    });
  });

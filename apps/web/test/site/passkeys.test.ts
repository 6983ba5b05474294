import type { CDPSession, Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { describeBrowser } from "../describe-browser.ts";
import { PASSWORD } from "../sign-in.ts";

const visitors = { ada: { as: "member" } } as const;

/** Passkeys with Chromium's virtual authenticator (0060). */
describeBrowser("passkeys", { visitors }, (_, { ada }) => {
  let device: Awaited<ReturnType<typeof addAuthenticator>>;
  const section = () => ada.page.getByRole("region", { name: "Passkeys" });
  const signedIn = () => ada.page.getByRole("button", { name: "Your account, ada" }).waitFor();

  beforeAll(async () => {
    device = await addAuthenticator(await ada.context.newCDPSession(ada.page));
  });

  const fillNew = async (name: string, password: string) => {
    await section().getByRole("button", { name: "Add a passkey" }).click();
    await section().getByLabel("Name", { exact: true }).fill(name);
    await section().getByLabel("Your password").fill(password);
    await section().getByRole("button", { name: "Add the passkey" }).click();
  };

  it("are added with the password", async () => {
    await ada.page.goto("/settings/security");
    await fillNew("my laptop", "not this one");
    await section().getByText("The current password is wrong").waitFor();
    expect(await device.credentials()).toEqual([]);
    await section().getByLabel("Your password").fill(PASSWORD);
    await section().getByRole("button", { name: "Add the passkey" }).click();
    await section().getByText("my laptop").waitFor();
    await section().getByText("never used").waitFor();
    expect(await device.credentials()).toMatchObject([
      { isResidentCredential: true, rpId: "localhost" },
    ]);
  });

  it("are added once on each device, and confirm in place of the password", async () => {
    await ada.page.goto("/settings/security");
    // The button moves when the lists of the page arrive.
    await section().getByText("my laptop").waitFor();
    await fillNew("my laptop again", "");
    await section().getByText("This device already has a passkey").waitFor();
  });

  it("sign in without a username; answers for another origin and replayed ones do not", async () => {
    const { page, context } = ada;
    await context.clearCookies();
    await page.goto("/sign-in");
    let body = "";
    await page.route(
      /passkeyLogin/,
      (route) => route.continue({ postData: ofOrigin(route.request().postData() ?? "") }),
      { times: 1 },
    );
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByRole("alert").waitFor();
    page.on("request", (request) => {
      if (request.url().includes("passkeyLogin")) body = request.postData() ?? "";
    });
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await signedIn();
    expect(await post(page, body)).toBe(401);
    await context.clearCookies();
    expect(await post(page, body)).toBe(401);
  });

  it("that the device does not verify do not sign in", async () => {
    const { page, context } = ada;
    await context.clearCookies();
    await page.goto("/sign-in");
    await device.verifiesUser(false);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByText("No passkey was used").waitFor();
    await device.verifiesUser(true);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await signedIn();
  });

  it("are removed after a proof by themselves", async () => {
    const { page } = ada;
    await page.goto("/settings/security");
    await section().getByText("last used").waitFor();
    await section().getByRole("button", { name: "Remove the passkey my laptop" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("The passkey “my laptop” is removed.").waitFor();
    await section().getByText("my laptop").waitFor({ state: "detached" });
  });
});

async function addAuthenticator(cdp: CDPSession) {
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    verifiesUser: (isUserVerified: boolean) =>
      cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    credentials: async () =>
      (await cdp.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
  };
}

/** Changes the origin in a call, as if the device had signed for another website. */
const ofOrigin = (call: string) =>
  call.replace(/"clientDataJSON":"([\w-]+)"/, (_, data: string) => {
    const client = JSON.parse(Buffer.from(data, "base64url").toString());
    const changed = JSON.stringify({ ...client, origin: "https://evil.example" });
    return `"clientDataJSON":"${Buffer.from(changed).toString("base64url")}"`;
  });

const post = (page: Page, body: string): Promise<number> =>
  page.evaluate(async (sent) => {
    const headers = { "content-type": "application/json" };
    const options = { method: "POST", headers, body: sent };
    return (await fetch("/trpc/accounts.passkeyLogin", options)).status;
  }, body);

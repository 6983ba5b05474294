import { ask } from "../terminal/prompt.ts";
import { assertHub, failureOf, type Hub, openHub } from "./hub.ts";
import type { Session } from "./session.ts";

/** What a person has typed. */
export interface Credentials {
  username: string;
  password: string;
}

/**
 * Asks for username and password, and calls the hub with the account's main key. The key is not
 * kept.
 * @throws Failure `no_terminal`, `no_hub`, `wrong_credentials`; Interrupted
 */
export async function withMainKey<Result>(
  { terminal }: Session,
  url: string,
  call: (hub: Hub, credentials: Credentials) => Promise<Result>,
): Promise<Result> {
  const guest = openHub({ url, key: undefined });
  try {
    await assertHub(guest);
    if (url.startsWith("http://") && !isLoopback(url)) {
      terminal.note(`${url} has no encryption: others on the way can read your password.`);
    }
    const username = (await ask(terminal, `Username at ${url}: `)).trim();
    const password = await ask(terminal, "Password: ", { isSecret: true });
    const { api_key } = await guest.client.accounts.login.mutate({ username, password });
    const main = openHub({ url, key: api_key });
    try {
      return await call(main, { username, password });
    } finally {
      await main.close();
    }
  } catch (error) {
    throw failureOf(error, url);
  } finally {
    await guest.close();
  }
}

const isLoopback = (url: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

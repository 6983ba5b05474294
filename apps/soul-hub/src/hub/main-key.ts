import { assertHub } from "@soul-hub/program";
import { ask } from "../terminal/prompt.ts";
import { type Hub, withHub } from "./hub.ts";
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
export const withMainKey = <Result>(
  { terminal }: Session,
  url: string,
  call: (hub: Hub, credentials: Credentials) => Promise<Result>,
): Promise<Result> =>
  withHub({ url, key: undefined }, async (guest) => {
    await assertHub(url);
    if (url.startsWith("http://") && !isLoopback(url)) {
      terminal.note(`${url} has no encryption: others on the way can read your password.`);
    }
    const username = (await ask(terminal, `Username at ${url}: `)).trim();
    const password = await ask(terminal, "Password: ", { isSecret: true });
    const { api_key: key } = await guest.client.accounts.login.mutate({ username, password });
    return withHub({ url, key }, (hub) => call(hub, { username, password }));
  });

const isLoopback = (url: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

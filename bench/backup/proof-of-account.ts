import type { ChatClient } from "../chat/load/load-protocol.ts";
import { send } from "./calls.ts";

/** The password of every client of `startChatHub`. */
const account = { username: "client-0", password: "correct horse battery" };

/** Logs the first client in. Returns its session cookie. */
export async function logIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...account, remember: true }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0];
  if (response.status !== 200 || !cookie) throw new Error(`/api/login: ${response.status}`);
  return cookie;
}

/**
 * Checks that the first client's session, API key and room work on a restored hub.
 * @throws Error naming the one that does not
 */
export async function assertSameAccount(
  url: string,
  cookie: string,
  { apiKey, ...room }: ChatClient,
): Promise<void> {
  const page = await fetch(`${url}/trpc/accounts.whoAmI`, { headers: { cookie } });
  const { result } = (await page.json()) as {
    result?: { data: { user: { username: string } | null } };
  };
  if (result?.data.user?.username !== account.username) throw new Error("The session is lost.");
  const query = new URLSearchParams({
    soul_id: String(room.soul_id),
    session_token: room.session_token,
  });
  const headers = { authorization: `Bearer ${apiKey}` };
  const history = await fetch(`${url}/api/chat?${query}`, { headers });
  const { messages } = (await history.json()) as { messages?: object[] };
  if (!messages?.length) throw new Error("The room is lost.");
  await send(url, { method: "POST", path: "/api/chat", apiKey, body: { ...room, content: "Hi." } });
}

import { hostAndPort } from "../../../chat/byok/allowed-hosts.ts";
import { createOwnModels } from "../../../chat/byok/own-models.ts";
import { type Actor, createActor } from "../../../testing/actor.ts";
import { startOpenAiServer } from "../../../testing/openai-server.ts";
import type { DatabaseKind } from "../../../testing/test-database.ts";
import { ADMIN_TOKEN, startTestHub, type TestHub } from "../../../testing/test-hub.ts";
import { bindBody, createWallet, prove } from "../../../wallet/wallet.fixture.ts";
import type { Input } from "./documented.fixture.ts";
import { type Canary, mark, plantSecrets } from "./secrets.fixture.ts";

/** The fuzzer's actors. An actor's credential (`shows`) and `pass` determine its rights. */
export const cast = {
  nobody: { shows: "nothing" },
  guest: { shows: "guest cookie" },
  "stale session": { shows: "nothing" },
  member: { shows: "session" },
  "owner at the page": { shows: "session" },
  "key without pass": { shows: "key", pass: "none" },
  "key with expired pass": { shows: "key", pass: "expired" },
  vip: { shows: "key", pass: "vip" },
  pro: { shows: "key", pass: "pro" },
  owner: { shows: "key", pass: "pro" },
  "malformed key": { shows: "bad key" },
  "revoked key": { shows: "bad key" },
  admin: { shows: "admin token" },
} as const;

export type ActorName = keyof typeof cast;

/** The name of a value, such as an id, that the fuzzer looks up when it sends the request. */
export class Known {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

interface Account {
  username: string;
  email: string;
  password: string;
  /** The password that the next password change sets. Changes alternate between two passwords. */
  nextPassword: string;
  key: string;
  session: string;
}

/** The hub to which the fuzzer sends requests, with its actors, their data and their secrets. */
export interface World {
  hub: TestHub;
  close(): Promise<void>;
  canaries(): Canary[];
  /** Returns the credential headers of an actor. */
  credentials(name: ActorName): Record<string, string>;
  known(name: string, actor: ActorName): unknown;
  /**
   * Returns whether a request may legitimately publish a secret. The fuzzer does not send such
   * requests, since the search for leaked secrets would fail.
   */
  wouldSpoil(request: { actor: ActorName; operation: { id: string } }, input: Input): boolean;
  /** Records the changes of a request: keys, passwords, sessions, deleted souls. */
  settle(actor: ActorName, operationId: string, answer: unknown): Promise<void>;
}

const KEY_IS_ASKED = ["POST /api/login", "POST /api/api-key/rotate", "POST /api/change-password"];

const accountOf: Partial<Record<ActorName, string>> = {
  member: "mia",
  "owner at the page": "olga",
  "key without pass": "frida",
  "key with expired pass": "late",
  vip: "vip",
  pro: "pro",
  owner: "olga",
};

export async function createWorld(database: DatabaseKind): Promise<World> {
  /** The model provider for the own keys of all actors. Other host names do not resolve. */
  const provider = await startOpenAiServer();
  const hub = await startTestHub({
    database,
    ownModels: createOwnModels({
      allowedHosts: [hostAndPort(new URL(provider.url))],
      timeoutMs: 5_000,
      retryDelayMs: 0,
      lookup: (_name, _options, callback) => callback(new Error("no names in tests"), "", 0),
    }),
  });
  const guest = hub.guest();
  const accounts = new Map<string, Account>();
  const keyed = (name: string): Actor =>
    createActor({ name, apiKey: account(name).key, baseUrl: () => hub.url });
  const account = (name: string) => accounts.get(name) as Account;
  const signIn = async (of: Account) => {
    const browser = hub.guest();
    const { username, password } = of;
    await browser.post("/api/login", { username, password, remember: true });
    of.session = browser.cookies.get("soulhub_session") ?? "";
  };
  for (const username of ["keeper", "olga", "mia", "frida", "late", "vip", "pro", "pawn"]) {
    const password = mark("password");
    const email = `${mark("email")}@example.org`;
    const { body } = await guest.post("/api/register", { username, password, email });
    const secret = { email, password, nextPassword: mark("password") };
    accounts.set(username, { username, ...secret, key: body.api_key, session: "" });
    await signIn(account(username));
  }
  const past = { expires_at: "2020-01-01 00:00:00" };
  for (const name of ["keeper", "olga", "pro"]) await hub.pass(keyed(name), "pro");
  await hub.pass(keyed("vip"), "vip");
  await hub.pass(keyed("late"), "vip", past);
  const revoked = account("pawn").key;
  account("pawn").key = (await keyed("pawn").post("/api/api-key/rotate")).body.api_key;
  await guest.get("/api/chat-quota");
  const ownKey = mark("provider-key");
  for (const username of ["olga", "frida", "pro"]) {
    await keyed(username).put("/api/byok", {
      provider: "openai-compatible",
      api_key: ownKey,
      base_url: provider.url,
      text_model: "own-text",
    });
  }

  const wallet = createWallet("pawn.near");
  await keyed("pawn").post("/api/bind-wallet", bindBody(wallet));
  const secrets = await plantSecrets(keyed("keeper"), keyed("olga"));
  const work = [0, 0, 0];
  const publishWork = async (at: number) => {
    const soul = { title: `Work ${at}`, content: "Clean code, and tests.", domain: "software" };
    work[at] = (await keyed("olga").post("/api/souls", soul)).body.id;
    await keyed("olga").put(`/api/soul/${work[at]}`, { title: `Work ${at}, mended` });
  };
  for (const at of work.keys()) await publishWork(at);

  let proof = prove(wallet);
  const values: Record<string, () => unknown> = {
    ...secrets.values,
    ...Object.fromEntries(work.map((_, at) => [`work soul ${at}`, () => work[at]])),
    "address of a provider": () => provider.url,
    "password of pawn": () => account("pawn").password,
    "proof.public_key": () => {
      proof = prove(wallet);
      return proof.public_key;
    },
    "proof.message": () => proof.message,
    "proof.signature": () => proof.signature,
  };

  const world: World = {
    hub,
    async close() {
      await hub.close();
      await provider.close();
    },
    canaries: () => [
      ...secrets.canaries,
      { what: "a provider's key", text: ownKey },
      { what: "the owner's email", text: account("olga").email, owner: "owner" },
      { what: "the admin token", text: ADMIN_TOKEN },
      ...[...accounts.values()].flatMap(({ username, password, key, session }): Canary[] => [
        { what: `the password of ${username}`, text: password },
        { what: `the session of ${username}`, text: session },
        { what: `the key of ${username}`, text: key, asked: KEY_IS_ASKED },
      ]),
    ],
    credentials: (name) => {
      const own = accounts.get(accountOf[name] ?? "");
      const { shows } = cast[name];
      if (shows === "key") return { authorization: `Bearer ${own?.key}` };
      if (shows === "session") return { cookie: `soulhub_session=${own?.session}` };
      if (shows === "admin token") return { authorization: `Bearer ${ADMIN_TOKEN}` };
      if (name === "guest")
        return { cookie: `soulhub_guest=${guest.cookies.get("soulhub_guest")}` };
      if (name === "stale session") return { cookie: `soulhub_session=${"A".repeat(43)}` };
      if (name === "malformed key") return { authorization: "Bearer shk_malformed" };
      return name === "revoked key" ? { authorization: `Bearer ${revoked}` } : {};
    },
    known: (name, actor) => {
      const own = accounts.get(accountOf[actor] ?? "pawn");
      if (name === "own password") return own?.password;
      if (name === "own next password") return own?.nextPassword;
      const value = values[name];
      if (!value) throw new Error(`${name} is unknown.`);
      return value();
    },
    wouldSpoil: ({ actor, operation }, input) =>
      secrets.wouldSpoil(actor.startsWith("owner"), operation.id, input),
    settle,
  };

  async function settle(actor: ActorName, operationId: string, answer: unknown): Promise<void> {
    const own = accounts.get(accountOf[actor] ?? "");
    if (operationId === "DELETE /api/soul/{id}") {
      for (const [at, id] of work.entries()) {
        const { status } = await hub.guest().get(`/api/soul/${id}`);
        if (status === 404) await publishWork(at);
      }
    }
    if (!own) return;
    // A password change with `revoke_keys` replaces the key, too.
    if (/api-key.rotate|change-password/.test(operationId))
      own.key = (answer as { api_key?: string }).api_key ?? own.key;
    if (operationId === "POST /api/change-password") {
      [own.password, own.nextPassword] = [own.nextPassword, own.password];
    }
    // Logout, a password change and the deletion of sessions may end the actor's session, so the
    // actor signs in again.
    if (/logout|change-password|DELETE .*sessions/.test(operationId)) await signIn(own);
  }
  return world;
}

import { type Actor, createActor } from "../../testing/actor.ts";
import type { DatabaseKind } from "../../testing/test-database.ts";
import { ADMIN_TOKEN, startTestHub, type TestHub } from "../../testing/test-hub.ts";
import { bindBody, createWallet, prove } from "../../wallet/wallet.fixture.ts";
import { type Canary, mark, plantSecrets } from "./secrets.fixture.ts";

/** Those who call. What each may do follows from `shows` and `pass`; nothing else is known of them. */
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

/** A value that is known only when the request is sent. */
export class Known {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

interface Account {
  username: string;
  password: string;
  key: string;
  session: string;
}

/** What the requests speak of: who exists and what they own, and what nobody else may see of it. */
export interface World {
  hub: TestHub;
  canaries(): Canary[];
  /** The credential headers of an actor. */
  credentials(name: ActorName): Record<string, string>;
  known(name: string): unknown;
  /** The owner's private things: no request may publish or delete them, or there were no secret left. */
  isSecretSoul(id: unknown): boolean;
  /** Takes note of what a request has changed: keys, passwords, sessions, deleted souls. */
  settle(actor: ActorName, operationId: string, answer: unknown): Promise<void>;
}

const accountOf: Partial<Record<ActorName, string>> = {
  member: "mia",
  "owner at the page": "owner",
  "key without pass": "frida",
  "key with expired pass": "late",
  vip: "vip",
  pro: "pro",
  owner: "owner",
};

export async function createWorld(database: DatabaseKind): Promise<World> {
  const hub = await startTestHub({ database });
  const guest = hub.guest();
  const accounts = new Map<string, Account>();
  const anonymous = (apiKey = "") =>
    createActor({ name: "anonymous", apiKey, baseUrl: () => hub.url });
  const account = (name: string) => accounts.get(name) as Account;
  const signIn = async (of: Account) => {
    const browser = hub.guest();
    const { username, password } = of;
    await browser.post("/api/login", { username, password, remember: true });
    of.session = browser.cookies.get("soulhub_session") ?? "";
  };
  for (const username of ["keeper", "owner", "mia", "frida", "late", "vip", "pro", "pawn"]) {
    const password = mark("password");
    const email = `${mark("email")}@example.org`;
    const { body } = await guest.post("/api/register", { username, password, email });
    accounts.set(username, { username, password, key: body.api_key, session: "" });
    const pass = cast[username as "vip"]?.pass ?? { late: "vip", keeper: "pro" }[username];
    const until = username === "late" ? { expires_at: "2020-01-01 00:00:00" } : { days: 30 };
    const grant = { username, tier: pass, ...until };
    if (pass) await anonymous(ADMIN_TOKEN).post("/api/admin/pass", grant);
    await signIn(account(username));
  }
  const keyed = (name: string): Actor => anonymous(account(name).key);
  const revoked = account("pawn").key;
  account("pawn").key = (await keyed("pawn").post("/api/api-key/rotate")).body.api_key;
  await guest.get("/api/chat-quota");

  const wallet = createWallet("pawn.near");
  await keyed("pawn").post("/api/bind-wallet", bindBody(wallet));
  const secrets = await plantSecrets(keyed("keeper"), keyed("owner"));
  const work = [0, 0, 0];
  const publishWork = async (at: number) => {
    const soul = { title: `Work ${at}`, content: "Clean code, and tests.", domain: "software" };
    work[at] = (await keyed("owner").post("/api/souls", soul)).body.id;
    await keyed("owner").put(`/api/soul/${work[at]}`, { title: `Work ${at}, mended` });
  };
  for (const at of work.keys()) await publishWork(at);

  let proof = prove(wallet);
  const values: Record<string, () => unknown> = {
    ...secrets.values,
    ...Object.fromEntries(work.map((_, at) => [`work soul ${at}`, () => work[at]])),
    "password of pawn": () => account("pawn").password,
    "fresh password": () => mark("password"),
    "public key": () => (proof = prove(wallet)).publicKey,
    "proof.public_key": () => {
      proof = prove(wallet);
      return proof.public_key;
    },
    "proof.message": () => proof.message,
    "proof.signature": () => proof.signature,
  };

  const world: World = {
    hub,
    canaries: () => [
      ...secrets.canaries,
      { what: "the admin token", text: ADMIN_TOKEN },
      ...[...accounts.values()].flatMap(({ username, password, key, session }): Canary[] => [
        { what: `the password of ${username}`, text: password },
        { what: `the session of ${username}`, text: session },
        { what: `the key of ${username}`, text: key, asked: ["POST /api/login"] },
      ]),
    ],
    credentials: (name) => {
      const own = accounts.get(accountOf[name] ?? "");
      const { shows } = cast[name];
      if (shows === "key") return { authorization: `Bearer ${own?.key}` };
      if (shows === "session") return { cookie: `soulhub_session=${own?.session}` };
      if (shows === "admin token") return { authorization: `Bearer ${ADMIN_TOKEN}` };
      if (name === "guest") return { cookie: `soulhub_guest=${guest.cookies.get("soulhub_guest")}` };
      if (name === "stale session") return { cookie: `soulhub_session=${"A".repeat(43)}` };
      if (name === "malformed key") return { authorization: "Bearer shk_malformed" };
      return name === "revoked key" ? { authorization: `Bearer ${revoked}` } : {};
    },
    known: (name) => values[name]?.() ?? accountValue(name),
    isSecretSoul: (id) => secrets.souls.has(Number(id)),
    settle,
  };

  /** Such as `password of owner`. */
  function accountValue(name: string): unknown {
    const [what, username = ""] = name.split(" of ");
    if (what === "password") return accounts.get(username)?.password;
    throw new Error(`Nobody knows ${name}.`);
  }

  async function settle(actor: ActorName, operationId: string, answer: unknown): Promise<void> {
    const own = accounts.get(accountOf[actor] ?? "");
    if (operationId === "DELETE /api/soul/{id}") {
      for (const [at, id] of work.entries()) {
        const { status } = await anonymous().get(`/api/soul/${id}`);
        if (status === 404) await publishWork(at);
      }
    }
    if (!own) return;
    if (operationId === "POST /api/api-key/rotate") own.key = (answer as { api_key: string }).api_key;
    if (operationId === "POST /api/logout") await signIn(own);
  }
  return world;
}

import { sql } from "kysely";
import { pino } from "pino";
import { createApiKey } from "../../accounts/api-key.ts";
import { withNamedKey } from "../../accounts/keys/named-key.fixture.ts";
import { silenceAccount, suspendAccount } from "../../accounts/standing/standing.queries.ts";
import { keyScopes } from "../../caller/key-scopes.schema.ts";
import { PLATFORM_KEY } from "../../chat/models/models.fixture.ts";
import type { Db } from "../../db/database.ts";
import { defaultTiers } from "../../quota/tier-table.ts";
import { createNearChain } from "../../wallet/near/near-chain.ts";
import { bindBody, createWallet, type TestWallet } from "../../wallet/wallet.fixture.ts";
import { type Actor, createActor } from "../actor.ts";
import { type ChatHub, openRoom, type RoomName, say, startChatHub } from "../chat-hub.ts";
import { createNft } from "../servers/near-contract.ts";
import { startNearRpcServer } from "../servers/near-rpc-server.ts";
import { startSmtpSink } from "../servers/smtp-sink.ts";
import { ADMIN_TOKEN, PASSWORD } from "../test-hub.ts";
import type { CallerKind } from "./caller-kinds.ts";
import { NO_ID } from "./no-id.ts";

/** The hub, actors, souls and wallets that the rows of the access matrix refer to. */
export interface AccessMatrixWorld extends ChatHub {
  people: Record<CallerKind, Actor>;
  /**
   * The ids of souls that belong to the actor `owner`. No soul has the id `none`. The soul `gated`
   * has an NFT gate: pro's wallet owns a token of its contract, and vip's wallet does not.
   */
  souls: { public: number; private: number; gated: number; none: number };
  /** A verified wallet that another account has bound, with its key. */
  boundWallet: TestWallet;
  /** The verified wallet of vip, with its key. */
  vipWallet: TestWallet;
  /** Returns an unused username. */
  newName(): string;
  /** Publishes a soul of the actor `owner`, or of the actor `by`. Returns the soul's id. */
  publish(fields?: object, by?: CallerKind): Promise<number>;
  /** Starts a room of the public soul: the soul's owner sends the first message. */
  begunRoom(fields?: object): Promise<RoomName>;
  /** Starts a room of the public soul from which its owner has banned the actor `vip`. */
  banningRoom(): Promise<RoomName>;
  /** Returns the name of a room without messages. By default it is a room of the public soul. */
  newRoom(soul_id?: number): RoomName;
  /** Makes the NEAR node answer 503 until the next `restore`. Returns the given fields. */
  cutOff<Fields extends object>(fields: Fields): Fields;
  newWallet(): TestWallet;
  /** Signs the caller in again, if it is one with a session. */
  signInAgain(caller: CallerKind): Promise<void>;
  /** Gives the actor `named` another named key. */
  renewNamedKey(): Promise<void>;
  /** A body for PUT /api/byok, which stores a provider key of the caller (decisions §5, BYOK). */
  ownKey: { provider: string; api_key: string; base_url: string; text_model: string };
  /** Makes the model provider reject the caller's own key until the next `restore`. */
  revokeOwnKey(): void;
  /** Undoes what a row did to the chain, the provider and the hub's settings. Each call ends so. */
  restore(): void;
  /** Uses up the caller's quota of the day. `giveBackDay` resets all quotas. */
  spendDay(caller: CallerKind): Promise<void>;
  giveBackDay(): Promise<void>;
}

/** The usernames of the callers that have a session and no key. */
const withSession: Readonly<Partial<Record<CallerKind, string>>> = {
  member: "mia",
  "owner's page": "ona",
  adminStaff: "amy",
};

const NFT = "nft.near";
const OWN_KEY = "sk-own-provider-key";

const accountId = async (db: Db, username: string): Promise<number> => {
  const found = db.selectFrom("accounts").select("id").where("username", "=", username);
  return (await found.executeTakeFirstOrThrow()).id;
};

/** Starts the hub of the access matrix and signs in all of its actors. */
export async function startAccessMatrixWorld(): Promise<AccessMatrixWorld> {
  const providerKeys = [PLATFORM_KEY, OWN_KEY];
  const sink = await startSmtpSink();
  const near = await startNearRpcServer();
  const nft = createNft();
  near.contract(NFT, nft.methods);
  const hub = await startChatHub({
    smtpUrl: sink.url,
    chain: createNearChain({ urls: [near.url], log: pino({ level: "silent" }) }),
    routes: { timeoutMs: 400 },
    provider: { keys: providerKeys },
    ownModelsOptions: { timeoutMs: 400 },
    // The default vip tier allows images and deep think. This tier table forbids both, so that the
    // matrix can test the refusals.
    config: {
      tiers: {
        ...defaultTiers,
        vip: { ...defaultTiers.vip, allow_image: false, deep_think_cost: null },
        // The owner starts most rooms of the matrix.
        pro: { ...defaultTiers.pro, daily_limit: 100_000 },
      },
    },
  });
  const withKey = (name: string, apiKey: string) =>
    createActor({ name, apiKey, baseUrl: () => hub.url });
  const people: AccessMatrixWorld["people"] = {
    nobody: hub.guest(),
    guest: hub.guest(),
    "bad key": withKey("bad key", createApiKey()),
    member: hub.guest(),
    key: await hub.member("kai"),
    expired: await hub.member("eli"),
    vip: await hub.vip("vic"),
    named: withKey("vic", ""),
    pro: await hub.member("pia"),
    owner: await hub.member("ona"),
    "owner's page": hub.guest(),
    operator: withKey("operator", ADMIN_TOKEN),
    suspended: await hub.member("sue"),
    silenced: await hub.vip("sil"),
    moderator: await hub.member("mod"),
    adminStaff: hub.guest(),
    blocked: await hub.vip("bob"),
  };
  await hub.member("amy");
  await people.owner.put("/api/blocks", { username: "bob" });
  const { db } = hub.hub.database;
  const why = { until: null, reason: "spam", decision_id: null };
  await suspendAccount(db, await accountId(db, "sue"), why);
  await silenceAccount(db, await accountId(db, "sil"), why);
  await sql`update accounts set role = case username when 'amy' then 'admin' else 'moderator' end
    where username in ('mod', 'amy')`.execute(db);
  await hub.pass(people.expired, "vip", { expires_at: "2020-01-01 00:00:00" });
  await hub.pass(people.pro, "pro");
  await hub.pass(people.owner, "pro");
  const renewNamedKey = async () => {
    people.named = await withNamedKey(hub, people.vip, keyScopes);
  };
  await renewNamedKey();
  await people.guest.get("/api/chat-quota");
  await hub.member("mia");
  const keeper = await hub.member("keeper");

  let nameCount = 0;
  const newWallet = (name = `w${++nameCount}.near`) => {
    const wallet = createWallet(name);
    near.account(name, { [wallet.publicKey]: "FullAccess" });
    return wallet;
  };
  const bind = async (actor: Actor, wallet: TestWallet) => {
    const { status } = await actor.post("/api/bind-wallet", bindBody(wallet));
    if (status !== 200) throw new Error(`${actor.name} could not bind ${wallet.name}`);
    return wallet;
  };
  const boundWallet = await bind(keeper, newWallet("keeper.near"));
  const vipWallet = await bind(people.vip, newWallet("vic.near"));
  nft.give((await bind(people.pro, newWallet("pia.near"))).name);
  const publish: AccessMatrixWorld["publish"] = async (fields, by = "owner") =>
    (await openRoom(people[by], fields)).soul_id;
  const souls = {
    public: await publish({ title: "Chess with Orla" }),
    private: await publish({ title: "Chess at home", is_public: 0 }),
    gated: await publish({ title: "Chess for members", nft_contract: NFT }),
    none: NO_ID,
  };
  const newRoom = (soul_id = souls.public) => ({ soul_id, session_token: `room-${++nameCount}` });
  const signInAgain: AccessMatrixWorld["signInAgain"] = async (caller) => {
    const username = withSession[caller];
    if (!username) return;
    await people[caller].post("/api/login", { username, password: PASSWORD, remember: true });
  };
  for (const caller of Object.keys(withSession) as CallerKind[]) await signInAgain(caller);

  const close = async () => {
    await hub.close();
    await near[Symbol.asyncDispose]();
    await sink[Symbol.asyncDispose]();
  };
  const begunRoom: AccessMatrixWorld["begunRoom"] = async (fields) => {
    const room = newRoom();
    const { body } = await say(people.owner, room, "Come in.", fields);
    if (!body.success) throw new Error(`The room was not started: ${body.message}`);
    return room;
  };
  return {
    ...hub,
    people,
    souls,
    boundWallet,
    vipWallet,
    newName: () => `person-${++nameCount}`,
    publish,
    newRoom,
    newWallet,
    cutOff: (fields) => {
      near.fault = { status: 503 };
      return fields;
    },
    signInAgain,
    renewNamedKey,
    ownKey: {
      provider: "openai-compatible",
      api_key: OWN_KEY,
      base_url: hub.provider.url,
      text_model: "own-model",
    },
    revokeOwnKey: () => void providerKeys.splice(1),
    restore() {
      near.fault = null;
      providerKeys.splice(1, 1, OWN_KEY);
      hub.hub.config.registration = "open";
    },
    begunRoom,
    async banningRoom() {
      const room = await begunRoom();
      const ban = { ...room, username: people.vip.name, state: "banned" };
      const { body } = await people.owner.put("/api/room-people", ban);
      if (!body.success) throw new Error(`The actor was not banned: ${body.message}`);
      return room;
    },
    async spendDay(caller) {
      await sql`
        insert into quota_days (subject, day, used)
        select 'account:' || id, (hub_now() at time zone 'utc')::date, 1000000
        from accounts where username = ${people[caller].name}
        on conflict (subject, day) do update set used = excluded.used`.execute(hub.hub.database.db);
    },
    async giveBackDay() {
      await hub.hub.database.db.deleteFrom("quota_days").execute();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

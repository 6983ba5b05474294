import { sql } from "kysely";
import { pino } from "pino";
import { createApiKey } from "../accounts/api-key.ts";
import { PLATFORM_KEY } from "../chat/models/models.fixture.ts";
import { defaultTiers } from "../quota/tier-table.ts";
import { createNearChain } from "../wallet/near-chain.ts";
import { bindBody, createWallet, type TestWallet } from "../wallet/wallet.fixture.ts";
import { type Actor, createActor } from "./actor.ts";
import { type ChatHub, openRoom, type RoomName, say, startChatHub } from "./chat-hub.ts";
import { createNft } from "./near-contract.ts";
import { startNearRpcServer } from "./near-rpc-server.ts";
import type { DatabaseKind } from "./test-database.ts";
import { ADMIN_TOKEN, PASSWORD } from "./test-hub.ts";
import type { Who } from "./who.ts";

/** What the rows of the status tables speak of. */
export interface StatusWorld extends ChatHub {
  people: Record<Who, Actor>;
  /** Of the owner; `none` is no soul at all. Of `gated`, pro has a token, and vip a wallet without one. */
  souls: { public: number; private: number; gated: number; none: number };
  /** A verified wallet on the chain that somebody else has bound, and what opens it. */
  boundWallet: TestWallet;
  /** A name that no account has yet. */
  newName(): string;
  /** A soul of the owner, or of whom is named. */
  publish(fields?: object, by?: Who): Promise<number>;
  /** A room of the public soul that the owner has begun. */
  begunRoom(fields?: object): Promise<RoomName>;
  /** A room that nobody has been in, of the public soul or the one given. */
  newRoom(soul_id?: number): RoomName;
  /** Cuts the chain off until the next `reconnect`. */
  cutOff(): void;
  reconnect(): void;
  newWallet(): TestWallet;
  signIn(who: "member" | "owner's page"): Promise<void>;
  /** What saves a key of the caller's own, at the provider that answers for the hub as well. */
  ownKey: { provider: string; api_key: string; base_url: string; text_model: string };
  /** From now on the provider refuses that key, or takes it again. */
  revokeOwnKey(): void;
  renewOwnKey(): void;
  /** Sees to it that nothing is left of somebody's day, or everything. */
  spendDay(who: Who): Promise<void>;
  giveBackDay(): Promise<void>;
}

const NFT = "nft.near";
const OWN_KEY = "sk-somebody-s-own";

export async function startStatusWorld(database: DatabaseKind): Promise<StatusWorld> {
  const providerKeys = [PLATFORM_KEY, OWN_KEY];
  const near = await startNearRpcServer();
  const nft = createNft();
  near.contract(NFT, nft.methods);
  const hub = await startChatHub({
    database,
    chain: createNearChain({ urls: [near.url], log: pino({ level: "silent" }) }),
    routes: { timeoutMs: 400 },
    provider: { keys: providerKeys },
    ownModelsOptions: { timeoutMs: 400 },
    // As an operator may set it: with the default, whoever may chat over REST has both.
    config: {
      tiers: {
        ...defaultTiers,
        vip: { ...defaultTiers.vip, allow_image: false, deep_think_cost: null },
      },
    },
  });
  const bearing = (name: string, apiKey: string) =>
    createActor({ name, apiKey, baseUrl: () => hub.url });
  const people: StatusWorld["people"] = {
    nobody: hub.guest(),
    guest: hub.guest(),
    "bad key": bearing("bad key", createApiKey()),
    member: hub.guest(),
    key: await hub.member("kai"),
    expired: await hub.member("eli"),
    vip: await hub.vip("vic"),
    pro: await hub.member("pia"),
    owner: await hub.member("ona"),
    "owner's page": hub.guest(),
    operator: bearing("operator", ADMIN_TOKEN),
  };
  await hub.pass(people.expired, "vip", { expires_at: "2020-01-01 00:00:00" });
  await hub.pass(people.pro, "pro");
  await hub.pass(people.owner, "pro");
  await people.guest.get("/api/chat-quota");
  await hub.member("mia");
  const keeper = await hub.member("keeper");

  let made = 0;
  const newWallet = (name = `w${++made}.near`) => {
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
  await bind(people.vip, newWallet("vic.near"));
  nft.give((await bind(people.pro, newWallet("pia.near"))).name);
  const publish: StatusWorld["publish"] = async (fields, by = "owner") =>
    (await openRoom(people[by], fields)).soul_id;
  const souls = {
    public: await publish({ title: "Chess with Orla" }),
    private: await publish({ title: "Chess at home", is_public: 0 }),
    gated: await publish({ title: "Chess for members", nft_contract: NFT }),
    none: 2 ** 53 - 1,
  };
  const newRoom = (soul_id = souls.public) => ({ soul_id, session_token: `room-${++made}` });
  const signIn: StatusWorld["signIn"] = async (who) => {
    const username = who === "member" ? "mia" : "ona";
    await people[who].post("/api/login", { username, password: PASSWORD, remember: true });
  };
  await signIn("member");
  await signIn("owner's page");

  const close = async () => {
    await hub.close();
    await near[Symbol.asyncDispose]();
  };
  return {
    ...hub,
    people,
    souls,
    boundWallet,
    newName: () => `person-${++made}`,
    publish,
    newRoom,
    newWallet,
    cutOff: () => {
      near.fault = { status: 503 };
    },
    reconnect: () => {
      near.fault = null;
    },
    signIn,
    ownKey: {
      provider: "openai-compatible",
      api_key: OWN_KEY,
      base_url: hub.provider.url,
      text_model: "own-model",
    },
    revokeOwnKey: () => void providerKeys.splice(1),
    renewOwnKey: () => void providerKeys.splice(1, 1, OWN_KEY),
    async begunRoom(fields) {
      const room = newRoom();
      const { body } = await say(people.owner, room, "Come in.", fields);
      if (!body.success) throw new Error(`no room: ${body.message}`);
      return room;
    },
    async spendDay(who) {
      await sql`
        insert into quota_days (subject, day, used)
        select 'account:' || id, (hub_now() at time zone 'utc')::date, 1000000
        from accounts where username = ${people[who].name}
        on conflict (subject, day) do update set used = excluded.used`.execute(hub.hub.database.db);
    },
    async giveBackDay() {
      await hub.hub.database.db.deleteFrom("quota_days").execute();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

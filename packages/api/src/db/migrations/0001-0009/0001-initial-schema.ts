import { Migration } from "@mikro-orm/migrations";
import { readSqlFunction } from "../../sql-functions.ts";

/** All tables of the first release, one section per slice. */
export class InitialSchema extends Migration {
  static readonly migrationName = "0001-initial-schema";
  override name = InitialSchema.migrationName;

  override up(): void {
    const sections = [database, accounts, quota, wallet, souls, social, chat, rest];
    for (const statement of sections.flat()) this.addSql(statement);
  }
}

const database = [
  "create extension if not exists pg_trgm schema public",
  // The default values of the time columns call hub_now().
  readSqlFunction("hub_now"),
  // The table contains the hash of each file of `db/functions` at its last run.
  "create table sql_functions (name text primary key, hash text not null)",
];

const accounts = [
  `create table accounts (
    id bigserial primary key,
    username text not null,
    username_key text not null constraint accounts_username_key_unique unique,
    email text,
    password_hash text,
    api_key_hash text constraint accounts_api_key_hash_unique unique,
    api_key_sealed text,
    tier text not null default 'free'
      constraint accounts_tier_check check (tier in ('free', 'vip', 'pro')),
    pass_expires_at timestamptz,
    wallet text constraint accounts_wallet_unique unique,
    wallet_key text,
    wallet_verified boolean not null default false,
    created_at timestamptz not null default hub_now(),
    constraint accounts_wallet_check check (
      (wallet is null) = (wallet_key is null) and not (wallet is null and wallet_verified)))`,

  `create table sessions (
    token_hash text primary key,
    account_id bigint not null
      constraint sessions_account_id_foreign references accounts on delete cascade,
    created_at timestamptz not null default hub_now(),
    expires_at timestamptz not null)`,
  "create index sessions_account_id_index on sessions (account_id)",
  "create index sessions_expires_at_index on sessions (expires_at)",
];

const quota = [
  `create table quota_days (
    subject text not null,
    day date not null,
    used int not null default 0,
    premium_used int not null default 0,
    primary key (subject, day),
    constraint quota_days_used_check check (used >= 0 and premium_used >= 0))`,

  `create table quota_holds (
    id bigserial primary key,
    subject text not null,
    ip_subject text,
    day date not null,
    units int not null,
    premium_units int not null,
    expires_at timestamptz not null)`,
  "create index quota_holds_expires_at_index on quota_holds (expires_at)",
];

const wallet = [
  "create table wallet_proofs (id text primary key, expires_at timestamptz not null)",
  "create index wallet_proofs_expires_at_index on wallet_proofs (expires_at)",
];

/**
 * One partial index over public souls per sort order of GET /api/souls (decisions §2). Each index
 * includes `role`, so that a category's list at an offset of 10,000 is an index-only scan. The
 * index `rating` also includes `rating_sum`. The planner makes an index-only scan by an expression
 * only if the index contains the expression's columns.
 */
const sortIndexes = (
  [
    ["newest", "id desc", "role"],
    ["popular", "like_count desc, fork_count desc, id desc", "role"],
    ["forks", "fork_count desc, id desc", "role"],
    ["updated", "updated_at desc, id desc", "role"],
    [
      "rating",
      "(rating_sum::float8 / greatest(rating_count, 1)) desc, rating_count desc, id desc",
      "role, rating_sum",
    ],
    // One index serves the lists of rare categories in every sort order.
    ["role", "role, id desc", "like_count, fork_count, rating_sum, rating_count, updated_at"],
  ] as const
).map(
  ([name, keys, included]) =>
    `create index souls_${name}_index on souls (${keys}) include (${included}) where is_public = 1`,
);

const souls = [
  // The generated columns of the table `souls` call these functions.
  ...["hub_normalize", "hub_normalize_words", "hub_signs", "hub_search_vector"].map(
    readSqlFunction,
  ),

  `create table souls (
    id bigserial primary key,
    user_id bigint not null
      constraint souls_user_id_foreign references accounts on delete cascade,
    title text not null,
    description text not null default '',
    content text not null,
    file_type text not null constraint souls_file_type_check
      check (file_type in ('single_md', 'full_soul_folder')),
    role text not null default 'Other',
    domain text not null default '',
    compatibility text not null default 'any',
    is_public smallint not null default 1
      constraint souls_is_public_check check (is_public in (0, 1)),
    like_count int not null default 0,
    fork_count int not null default 0,
    rating_sum int not null default 0,
    rating_count int not null default 0,
    forked_from bigint,
    nft_contract text constraint souls_nft_contract_check check (nft_contract <> ''),
    created_at timestamptz not null default hub_now(),
    updated_at timestamptz not null default hub_now(),
    title_key text not null generated always as (hub_normalize(title)) stored,
    search tsvector not null
      generated always as (hub_search_vector(title, description, domain, role)) stored)`,
  "create index souls_user_id_index on souls (user_id)",
  ...sortIndexes,

  "create index souls_search_index on souls using gin (search)",
  // This index finds exact titles and the beginnings of titles.
  "create index souls_title_index on souls (title_key text_pattern_ops)",
  // This index finds any substring of a title.
  "create index souls_title_trgm_index on souls using gin (title_key gin_trgm_ops)",

  `create table soul_versions (
    id bigserial primary key,
    soul_id bigint not null
      constraint soul_versions_soul_id_foreign references souls on delete cascade,
    title text not null,
    description text not null,
    content text not null,
    role text not null,
    domain text not null,
    compatibility text not null,
    is_public smallint not null,
    nft_contract text,
    edited_at timestamptz not null default hub_now())`,
  "create index soul_versions_soul_id_index on soul_versions (soul_id)",

  `create table domain_tags (
    domain text primary key,
    uses int not null constraint domain_tags_uses_check check (uses >= 0))`,
];

const social = [
  `create table likes (
    soul_id bigint not null
      constraint likes_soul_id_foreign references souls on delete cascade,
    user_id bigint not null
      constraint likes_user_id_foreign references accounts on delete cascade,
    created_at timestamptz not null default hub_now(),
    primary key (soul_id, user_id))`,
  "create index likes_user_id_index on likes (user_id)",

  `create table ratings (
    soul_id bigint not null
      constraint ratings_soul_id_foreign references souls on delete cascade,
    user_id bigint not null
      constraint ratings_user_id_foreign references accounts on delete cascade,
    rating smallint not null
      constraint ratings_rating_check check (rating >= 1 and rating <= 5),
    rated_at timestamptz not null default hub_now(),
    primary key (soul_id, user_id))`,
  "create index ratings_user_id_index on ratings (user_id)",
];

const chat = [
  `create table chat_rooms (
    id bigserial primary key,
    soul_id bigint not null
      constraint chat_rooms_soul_id_foreign references souls on delete cascade,
    token_hash text not null,
    token_sealed text not null,
    owner text not null,
    is_private boolean not null default false,
    head_id bigint not null default 0,
    summary text,
    summarised_to bigint not null default 0,
    folding_until timestamptz,
    created_at timestamptz not null default hub_now(),
    updated_at timestamptz not null default hub_now(),
    constraint chat_rooms_name_unique unique (soul_id, token_hash))`,
  "create index chat_rooms_owner_index on chat_rooms (owner)",

  `create table chat_messages (
    id bigserial primary key,
    room_id bigint not null
      constraint chat_messages_room_id_foreign references chat_rooms on delete cascade,
    prev_id bigint not null,
    role text not null
      constraint chat_messages_role_check check (role in ('user', 'assistant')),
    sender text not null,
    sender_name text not null,
    content text not null,
    hold_id bigint,
    created_at timestamptz not null default hub_now(),
    constraint chat_messages_chain_unique unique (room_id, prev_id),
    constraint chat_messages_order_check check (prev_id < id))`,
  "create index chat_messages_room_id_index on chat_messages (room_id, id)",
  // With this index, GET /api/my-chats finds the rooms of a sender without reading the messages.
  "create index chat_messages_sender_index on chat_messages (sender, room_id)",

  `create table model_usage (
    id uuid primary key,
    account_id bigint
      constraint model_usage_account_id_foreign references accounts on delete cascade,
    provider text not null,
    model text not null,
    route text not null,
    own_key boolean not null,
    input_tokens int,
    output_tokens int,
    first_token_ms int,
    total_ms int not null,
    outcome text not null,
    at timestamptz not null)`,
  "create index model_usage_at_index on model_usage (at)",
  "create index model_usage_account_id_index on model_usage (account_id, at)",

  `create table provider_keys (
    id bigserial primary key,
    account_id bigint not null
      constraint provider_keys_account_id_foreign references accounts on delete cascade,
    provider text not null
      constraint provider_keys_provider_check
        check (provider in ('openai', 'anthropic', 'google', 'openai-compatible')),
    api_key_sealed text not null,
    text_model text,
    vision_model text,
    base_url text,
    active boolean not null default false,
    created_at timestamptz not null default hub_now(),
    constraint provider_keys_account_provider_unique unique (account_id, provider))`,
  "create unique index provider_keys_active_unique on provider_keys (account_id) where active",
];

/** Results of calls with an Idempotency-Key (decisions §7). */
const rest = [
  `create table idempotent_calls (
    account_id bigint not null
      constraint idempotent_calls_account_id_foreign references accounts on delete cascade,
    route text not null,
    key_hash text not null,
    body_hash text not null,
    outcome text,
    created_at timestamptz not null default hub_now(),
    primary key (account_id, route, key_hash))`,
  "create index idempotent_calls_created_at_index on idempotent_calls (created_at)",
];

import { Migration } from "@mikro-orm/migrations";

/** Accounts, souls with search and versions, chat rooms with their log, daily quotas. */
export class FirstTables extends Migration {
  override name = "0001-first-tables";

  override up(): void {
    this.addSql("create extension if not exists pg_trgm schema public");
    // The hub's clock. Inlined by the planner; one place to move time in tests.
    this.addSql(
      "create function hub_now() returns timestamptz language sql stable as 'select now()'",
    );

    this.addSql(`create table accounts (
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
      created_at timestamptz not null default hub_now())`);

    this.addSql(`create table sessions (
      token_hash text primary key,
      account_id bigint not null
        constraint sessions_account_id_foreign references accounts on delete cascade,
      created_at timestamptz not null default hub_now(),
      expires_at timestamptz not null)`);
    this.addSql("create index sessions_account_id_index on sessions (account_id)");
    this.addSql("create index sessions_expires_at_index on sessions (expires_at)");

    this.addSql(`create table souls (
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
      created_at timestamptz not null default hub_now(),
      updated_at timestamptz not null default hub_now(),
      search tsvector not null generated always as (
        setweight(to_tsvector('simple', title), 'A')
        || setweight(to_tsvector('simple', domain || ' ' || role), 'B')
        || setweight(to_tsvector('simple', description), 'C')) stored)`);
    this.addSql("create index souls_user_id_index on souls (user_id)");
    this.addSql("create index souls_search_index on souls using gin (search)");
    this.addSql(
      "create index souls_title_trgm_index on souls using gin (lower(title) gin_trgm_ops)",
    );
    // One index per sort order of GET /api/souls (decisions §2), over what anyone may see.
    this.addSql("create index souls_newest_index on souls (id desc) where is_public = 1");
    this.addSql(
      "create index souls_popular_index on souls (like_count desc, fork_count desc, id desc) where is_public = 1",
    );
    this.addSql(
      "create index souls_forks_index on souls (fork_count desc, id desc) where is_public = 1",
    );
    this.addSql(
      "create index souls_updated_index on souls (updated_at desc, id desc) where is_public = 1",
    );
    this.addSql(
      "create index souls_rating_index on souls ((rating_sum::float8 / greatest(rating_count, 1)) desc, rating_count desc, id desc) where is_public = 1",
    );
    this.addSql("create index souls_role_index on souls (role, id desc) where is_public = 1");

    this.addSql(`create table soul_versions (
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
      edited_at timestamptz not null default hub_now())`);
    this.addSql("create index soul_versions_soul_id_index on soul_versions (soul_id)");

    this.addSql(`create table domain_tags (
      domain text primary key,
      uses int not null constraint domain_tags_uses_check check (uses >= 0))`);

    this.addSql(`create table chat_rooms (
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
      created_at timestamptz not null default hub_now(),
      updated_at timestamptz not null default hub_now(),
      constraint chat_rooms_name_unique unique (soul_id, token_hash))`);
    this.addSql("create index chat_rooms_owner_index on chat_rooms (owner)");

    this.addSql(`create table chat_messages (
      id bigserial primary key,
      room_id bigint not null
        constraint chat_messages_room_id_foreign references chat_rooms on delete cascade,
      prev_id bigint not null,
      role text not null
        constraint chat_messages_role_check check (role in ('user', 'assistant')),
      sender text not null,
      sender_name text not null,
      content text not null,
      created_at timestamptz not null default hub_now(),
      constraint chat_messages_chain_unique unique (room_id, prev_id),
      constraint chat_messages_order_check check (prev_id < id))`);
    this.addSql("create index chat_messages_room_id_index on chat_messages (room_id, id)");

    this.addSql(`create table quota_days (
      subject text not null,
      day date not null,
      used int not null default 0,
      premium_used int not null default 0,
      primary key (subject, day),
      constraint quota_days_used_check check (used >= 0 and premium_used >= 0))`);

    this.addSql(`create table quota_holds (
      id bigserial primary key,
      subject text not null,
      ip_subject text,
      day date not null,
      units int not null,
      premium_units int not null,
      expires_at timestamptz not null)`);
    this.addSql("create index quota_holds_expires_at_index on quota_holds (expires_at)");
  }
}

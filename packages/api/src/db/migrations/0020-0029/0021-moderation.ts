import { Migration } from "@mikro-orm/migrations";

/**
 * Cases of moderation with their reports, sealed evidence and decisions (0062). They name what they
 * concern without foreign keys, because they outlive it.
 */
export class Moderation extends Migration {
  override name = "0021-moderation";

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  "alter table souls add column is_listed boolean not null default true",
  "alter table chat_rooms add column is_closed boolean not null default false",
  "alter table chat_messages add column removed_by text",

  `create table mod_cases (
    id bigserial primary key,
    revision int not null default 1,
    state text not null default 'open'
      constraint mod_cases_state_check check (state in ('open', 'appealed', 'closed')),
    kind text not null
      constraint mod_cases_kind_check check (kind in ('soul', 'message', 'person', 'room')),
    target text not null,
    soul_id bigint,
    room_id bigint,
    message_id bigint,
    account_id bigint,
    opened_at timestamptz not null default hub_now())`,
  // The reports of one target are one case, until it is decided.
  "create unique index mod_cases_open_index on mod_cases (target) where state = 'open'",
  "create index mod_cases_state_id_index on mod_cases (state, id)",
  "create index mod_cases_soul_id_index on mod_cases (soul_id)",
  "create index mod_cases_room_id_index on mod_cases (room_id)",

  `create table mod_reports (
    id bigserial primary key,
    case_id bigint not null
      constraint mod_reports_case_id_foreign references mod_cases on delete cascade,
    reporter text not null,
    reporter_name text not null,
    reason text not null,
    note text not null,
    created_at timestamptz not null default hub_now(),
    constraint mod_reports_case_id_reporter_unique unique (case_id, reporter))`,
  "create index mod_reports_reporter_id_index on mod_reports (reporter, id)",

  `create table mod_evidence (
    id bigserial primary key,
    case_id bigint not null
      constraint mod_evidence_case_id_foreign references mod_cases on delete cascade,
    kind text not null
      constraint mod_evidence_kind_check check (kind in ('reported', 'removed')),
    mac text not null,
    sealed text not null,
    created_at timestamptz not null default hub_now(),
    constraint mod_evidence_case_id_mac_unique unique (case_id, mac))`,

  `create table mod_decisions (
    id bigserial primary key,
    case_id bigint not null
      constraint mod_decisions_case_id_foreign references mod_cases on delete cascade,
    account_id bigint,
    action text not null,
    reason text not null,
    message text not null,
    decided_by text not null,
    created_at timestamptz not null default hub_now(),
    until timestamptz,
    appeal_until timestamptz not null,
    undone_at timestamptz,
    appeal_text text,
    appealed_at timestamptz,
    appeal_outcome text)`,
  "create index mod_decisions_case_id_index on mod_decisions (case_id)",
  "create index mod_decisions_account_id_id_index on mod_decisions (account_id, id)",
];

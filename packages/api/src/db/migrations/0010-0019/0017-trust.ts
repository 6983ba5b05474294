import { Migration } from "@mikro-orm/migrations";

/** Roles, suspensions and silences of accounts, the audit log (0057), and invites (0058). */
export class Trust extends Migration {
  override name = "0017-trust";

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  "alter table accounts add column role text not null default 'member'",
  "alter table accounts add column suspension jsonb",
  "alter table accounts add column silence jsonb",

  `create table audit_log (
    id bigint primary key,
    at timestamptz not null,
    actor text not null,
    action text not null,
    target text not null,
    detail text not null,
    previous_hash text not null,
    hash text not null)`,
  "create index audit_log_actor_id_index on audit_log (actor, id)",
  "create index audit_log_action_id_index on audit_log (action, id)",

  `create table invites (
    id bigserial primary key,
    code_hash text not null constraint invites_code_hash_unique unique,
    uses int not null,
    used int not null default 0,
    note text not null default '',
    created_at timestamptz not null default hub_now(),
    expires_at timestamptz not null)`,
];

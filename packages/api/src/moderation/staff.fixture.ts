import { sql } from "kysely";
import { expect } from "vitest";
import type { Actor } from "../testing/actor.ts";
import { createActor } from "../testing/actor.ts";
import { ADMIN_TOKEN, type TestHub } from "../testing/test-hub.ts";

/** Registers a member of the staff. */
export async function staffOf(hub: TestHub, name: string, role = "moderator"): Promise<Actor> {
  const actor = await hub.member(name);
  const { db } = hub.hub.database;
  await sql`update accounts set role = ${role} where username = ${name}`.execute(db);
  return actor;
}

export const operatorOf = (hub: TestHub): Actor =>
  createActor({ name: "operator", apiKey: ADMIN_TOKEN, baseUrl: () => hub.url });

/** Opens a case of a target that staff can read. */
export async function caseOf(staff: Actor, target: object): Promise<number> {
  const { body } = await staff.post("/api/mod/cases", target);
  expect(body).toMatchObject({ success: true });
  return body.id;
}

export const readCase = async (staff: Actor, id: number) =>
  (await staff.get(`/api/mod/cases/${id}`)).body.data;

/** Acts on a case in its present revision. */
export async function act(staff: Actor, id: number, action: string, more: object = {}) {
  const { revision } = await readCase(staff, id);
  return staff.post(`/api/mod/cases/${id}/act`, {
    revision,
    action,
    reason: "private_data",
    message_to_author: "Please take the address out.",
    ...more,
  });
}

/** Opens a case and acts on it. Returns the case's id. */
export async function actOn(staff: Actor, target: object, action: string, more: object = {}) {
  const id = await caseOf(staff, target);
  expect((await act(staff, id, action, more)).body).toMatchObject({ success: true });
  return id;
}

/** The actions in the audit log, oldest first, with their actors. */
export async function auditOf({ hub }: TestHub): Promise<string[]> {
  const rows = await hub.database.db
    .selectFrom("audit_log")
    .select(["action", "target", "actor"])
    .orderBy("id")
    .execute();
  return rows.map(({ action, target, actor }) => `${actor} ${action} ${target}`);
}

export const accountId = async ({ hub }: TestHub, username: string): Promise<number> => {
  const accounts = hub.database.db.selectFrom("accounts").select("id");
  return (await accounts.where("username", "=", username).executeTakeFirstOrThrow()).id;
};

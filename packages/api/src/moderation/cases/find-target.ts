import { sql } from "kysely";
import { isShown } from "../../accounts/standing/shown-account.queries.ts";
import type { CallContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import type { SoulRecord } from "../../souls/soul.queries.ts";
import { readableSoul } from "../../souls/soul-access.ts";
import type { Excerpt } from "../evidence/excerpt.schema.ts";
import { readLinesAround } from "../evidence/lines-around.queries.ts";
import type { GivenTarget } from "./given-target.schema.ts";
import { reportableRoom } from "./reportable-room.ts";

/** What a case is about, as its row stores it, and the text that staff may read. */
export interface Target {
  row: {
    kind: "soul" | "message" | "person" | "room";
    target: string;
    soul_id: number | null;
    room_id: number | null;
    message_id: number | null;
    account_id: number | null;
  };
  /** Null for a text that is neither reported nor public. */
  excerpt: Excerpt | null;
}

const none = { soul_id: null, room_id: null, message_id: null };

/**
 * Finds the target of a report with the rights of its reporter (0062). A reporter cannot report a
 * target without the right to read it, and staff read no more of it than the reporter.
 * @param people `shown`: the people whose profile others read; `any`: hidden ones as well, which
 *   `GET /api/mod/people` lists for the staff
 * @throws HubError `user_not_found`, `message_not_found`, and those of readableSoul and
 *   reportableRoom
 */
export async function findTarget(
  ctx: CallContext,
  given: GivenTarget,
  people: "shown" | "any",
): Promise<Target> {
  switch (given.kind) {
    case "soul":
      return soulTarget(await readableSoul(ctx, given.soul_id));
    case "person":
      return personTarget(ctx.db, given.username, people);
    default:
      return roomTarget(ctx, given);
  }
}

export const soulTarget = ({
  id,
  user_id,
  title,
  description,
  content,
  version,
}: Pick<
  SoulRecord,
  "id" | "user_id" | "title" | "description" | "content" | "version"
>): Target => ({
  row: { ...none, kind: "soul", target: `soul:${id}`, soul_id: id, account_id: user_id },
  excerpt: { title, description, content, version },
});

/**
 * Finds the target of a case that staff open without a report (0062). They name a message or a room
 * as a reporter does. Of a soul the case holds only its public parts.
 * @throws HubError those of findTarget
 */
export async function findUnreported(ctx: CallContext, given: GivenTarget): Promise<Target> {
  if (given.kind !== "soul") return findTarget(ctx, given, "any");
  return unreportedSoul(await readableSoul(ctx, given.soul_id));
}

/** A soul without a report: a gated soul without its content, a private one without any text. */
export function unreportedSoul(
  soul: Parameters<typeof soulTarget>[0] & Pick<SoulRecord, "is_public" | "nft_contract">,
): Target {
  const { row, excerpt } = soulTarget(soul);
  if (soul.is_public !== 1) return { row, excerpt: null };
  if (soul.nft_contract === null) return { row, excerpt };
  const { title, description, version } = soul;
  return { row, excerpt: { title, description, version } };
}

/** @throws HubError `user_not_found`, with `shown` also for an account whose profile is hidden */
export async function personTarget(db: Db, name: string, people: "shown" | "any"): Promise<Target> {
  const account = await db
    .selectFrom("accounts")
    .select(["id", "username"])
    .where("username_key", "=", name.toLowerCase())
    .$if(people === "shown", (accounts) => accounts.where(isShown))
    .executeTakeFirstOrThrow(() => new HubError("user_not_found"));
  const { id, username } = account;
  return {
    row: { ...none, kind: "person", target: `account:${id}`, account_id: id },
    excerpt: { username },
  };
}

async function roomTarget(
  ctx: CallContext,
  given: Extract<GivenTarget, { session_token: string }>,
): Promise<Target> {
  const { id, owner, end } = await reportableRoom(ctx, given);
  const row = { soul_id: given.soul_id, room_id: id };
  const read = async (reported: number | null) => ({
    lines: await readLinesAround(ctx.db, { id, end }, reported),
  });
  if (given.kind === "room") {
    const account_id = accountOf(owner);
    return {
      row: { ...row, kind: "room", target: `room:${id}`, message_id: null, account_id },
      excerpt: await read(null),
    };
  }
  const { message_id } = given;
  const line = await ctx.db
    .selectFrom("chat_messages")
    .select(["role", "sender", editorOf(owner).as("editor")])
    .where("id", "=", message_id)
    .where("room_id", "=", id)
    // A reporter that may no longer enter can report the messages up to its end.
    .where("id", "<=", end)
    .where("removed_at", "is", null)
    .executeTakeFirstOrThrow(() => new HubError("message_not_found"));
  return {
    row: {
      ...row,
      kind: "message",
      target: `message:${message_id}`,
      message_id,
      account_id: line.role === "user" ? accountOf(line.sender) : line.editor,
    },
    excerpt: await read(message_id),
  };
}

/**
 * SQL: the account that has rewritten a reply, or null. Only the owner of the room can rewrite one.
 * A copied or imported reply may name another person, so no other account is searched.
 */
const editorOf = (owner: string) =>
  sql<number | null>`(select accounts.id from accounts
    where accounts.id = ${accountOf(owner)}::bigint and accounts.username = edited_by)`;

/** The account of a participant. A guest has none, and neither has a soul. */
const accountOf = (participant: string): number | null => {
  const [kind, number] = participant.split(":");
  return kind === "account" ? Number(number) : null;
};

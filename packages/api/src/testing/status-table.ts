import type { FailureCode } from "../errors.ts";
import type { Rung } from "../trpc.ts";
import type { Answer } from "./actor.ts";
import type { StatusWorld } from "./status-world.ts";
import { everybody, type Who } from "./who.ts";

/** `200`, or a status and its code. */
export type Outcome = "200" | `${number} ${FailureCode}`;

interface More {
  headers?: Readonly<Record<string, string>>;
  /** Sent as the body in place of the fields, byte for byte. */
  raw?: string;
  /** Sent as the query in place of the fields. */
  query?: string;
  /** Refused before anybody asks who is calling: nobody is kept out first. */
  early?: true;
  /** Puts back what the call has changed and the next one needs. */
  after?: (world: StatusWorld, who: Who) => unknown;
}

/**
 * One line: in which case, with which fields (in the path, the query or the body, wherever the
 * endpoint takes them), who is answered what. `everybody` are those whom the endpoint lets in at
 * all; without it only those who are named are asked.
 */
export type Row = readonly [
  when: string,
  ask: Record<string, unknown> | ((world: StatusWorld, who: Who) => object | Promise<object>),
  outcomes: Readonly<Partial<Record<Who | "everybody", Outcome>>>,
  more?: More,
];

/** The rows of each endpoint, by its method and path, such as `PUT /soul/{id}`. */
export type StatusTable = Readonly<Record<string, readonly Row[]>>;

const bad: Outcome = "401 unauthenticated";
const hidden: Outcome = "404 not_found";
const notOpen = { "bad key": bad, operator: bad };
const notForMembers = { ...notOpen, nobody: bad, guest: bad };
const notForKeys = { ...notForMembers, member: bad, "owner's page": bad };
const { operator: _, ...strangers } = Object.fromEntries(everybody.map((who) => [who, hidden]));

/** Who is not let in, whatever they send (specification §4, Auth column; decisions §1, Order). */
const keptOut: Readonly<Record<Rung, Readonly<Partial<Record<Who, Outcome>>>>> = {
  open: notOpen,
  member: notForMembers,
  keyHolder: notForKeys,
  passHolder: { ...notForKeys, key: "403 pass_required", expired: "403 pass_expired" },
  admin: strangers,
};

/** Who is asked in a row, and what they must be answered. */
export function expectedOutcomes(
  [, , outcomes, more]: Row,
  rung: Rung,
): Partial<Record<Who, Outcome>> {
  const asked = everybody.filter((who) => "everybody" in outcomes || who in outcomes);
  const refused = more?.early ? {} : keptOut[rung];
  return Object.fromEntries(
    asked.map((who) => [who, refused[who] ?? outcomes[who] ?? outcomes.everybody]),
  );
}

export const outcomeOf = ({ status, body }: Answer): string =>
  status === 200 ? "200" : `${status} ${body?.error}`;

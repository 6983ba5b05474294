import { assertStanding, type StandingNeed } from "../caller/assert-standing.ts";
import { assertPass, assertScope, type Caller } from "../caller/caller.ts";
import type { Role } from "../caller/role.schema.ts";
import type { RequestContext } from "../context.ts";
import { HubError } from "../errors.ts";
import type { AccessLevel, RestMeta } from "./procedure-meta.ts";

/** The meta that {@link authorize} reads. */
export type AccessMeta = Pick<RestMeta, "access" | "need" | keyof StandingNeed>;

/** The roles of the accounts that each level of the hub's staff accepts (0057). */
const staffRoles = {
  staff: ["moderator", "admin"],
  adminOrOperator: ["admin"],
  admin: [],
} as const satisfies Partial<Record<AccessLevel, readonly Role[]>>;

const isStaffLevel = (access: AccessLevel): access is keyof typeof staffRoles =>
  access in staffRoles;

/** @throws HubError `not_found`, and `scope_missing` for a named key */
function assertRole(caller: Caller, access: keyof typeof staffRoles): void {
  if (caller.kind === "admin" && access !== "staff") return;
  const roles: readonly Role[] = staffRoles[access];
  if (roles.length > 0) assertScope(caller, "main");
  if (!("account" in caller) || !roles.includes(caller.account.role)) {
    throw new HubError("not_found");
  }
}

/**
 * Checks a caller's right to call a procedure:
 * - the access level (specification §4, Auth column)
 * - the scope of a named key (decisions §3)
 * - the standing of the account (0057)
 * - the hub's setting for guests (0058)
 * @throws HubError `unauthenticated`, `scope_missing`, `pass_required`, `pass_expired`,
 *   `account_suspended`; `not_found` for the levels of the staff and the operator
 */
export function authorize(
  caller: Caller,
  meta: AccessMeta,
  { transport, hub }: Pick<RequestContext, "transport" | "hub">,
): void {
  const { access = "open", need = "main" } = meta;
  if (isStaffLevel(access)) {
    assertRole(caller, access);
    assertStanding(caller, meta);
    return;
  }
  if (caller.kind === "admin" || caller.kind === "refused") throw new HubError("unauthenticated");
  if (caller.kind === "guest" && need === "chat" && !hub.config.guests) {
    throw new HubError("unauthenticated");
  }
  assertStanding(caller, meta);
  assertScope(caller, need);
  if (access === "open" || (access === "participant" && transport !== "rest")) return;
  if (access === "passHolder" || access === "reader") {
    if (transport === "rest" && caller.kind !== "key") throw new HubError("unauthenticated");
    if (access === "passHolder") assertPass(caller);
    return;
  }
  if (access === "sessionOrPass") assertPass(caller);
  const acceptsSession = access !== "keyHolder" || transport !== "rest";
  if (caller.kind === "key" || (caller.kind === "member" && acceptsSession)) return;
  throw new HubError("unauthenticated");
}

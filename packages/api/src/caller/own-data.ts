import { assertScope, type Caller, hasScope } from "./caller.ts";
import type { KeyScope } from "./key-scopes.schema.ts";

/**
 * The scope that a named key needs for each kind of the account's own data, in every answer that
 * contains it (0050). It is the scope of the data's own endpoints: docs/scopes.md.
 */
const scopesOfData = {
  account: "account:read",
  /** Private souls, hidden versions and the rooms of private souls. */
  souls: "souls:read",
  chats: "chat",
  social: "social",
} as const satisfies Record<string, KeyScope>;
type OwnData = keyof typeof scopesOfData;

/** Reports whether a caller may read a kind of its account's data. A list leaves out the others. */
export const mayRead = (caller: Caller, data: OwnData): boolean =>
  hasScope(caller, scopesOfData[data]);

/**
 * Refuses an answer of which the caller may not read each kind. Runs before anything is read.
 * @throws HubError `scope_missing`, which names the first missing scope
 */
export function assertMayRead(caller: Caller, ...kinds: readonly OwnData[]): void {
  for (const kind of kinds) assertScope(caller, scopesOfData[kind]);
}

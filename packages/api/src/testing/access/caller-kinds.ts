/**
 * The kinds of caller in the access matrix. `owner` owns the test souls and rooms. `named` is a named
 * key of vip with all scopes.
 */
export const callerKinds = [
  "nobody",
  "guest",
  "bad key",
  "member",
  "key",
  "expired",
  "vip",
  "named",
  "pro",
  "owner",
  "owner's page",
  "operator",
] as const;
export type CallerKind = (typeof callerKinds)[number];

/**
 * The kinds of caller in the access matrix. `owner` owns the test souls and rooms. `named` is a named
 * key of vip with all scopes. `suspended` and `silenced` are restricted accounts; the latter has a vip
 * pass. `moderator` (with a key) and `adminStaff` (with a session) are the hub's staff. `blocked` has a
 * vip pass, and `owner` has blocked it.
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
  "suspended",
  "silenced",
  "moderator",
  "adminStaff",
  "blocked",
] as const;
export type CallerKind = (typeof callerKinds)[number];

/** Everybody who may turn up at an endpoint. The world's souls and rooms are the owner's. */
export const everybody = [
  "nobody",
  "guest",
  "bad key",
  "member",
  "key",
  "expired",
  "vip",
  "pro",
  "owner",
  "owner's page",
  "operator",
] as const;
export type Who = (typeof everybody)[number];

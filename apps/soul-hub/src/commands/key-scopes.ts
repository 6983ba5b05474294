import type { HubClient } from "@soul-hub/client";

type CreateKey = HubClient["client"]["accounts"]["createKey"]["mutate"];
export type KeyScope = Parameters<CreateKey>[0]["scopes"][number];

/** What a named key may be allowed to do. */
export const keyScopes = [
  "souls:read",
  "souls:write",
  "chat",
  "social",
  "account:read",
] as const satisfies readonly KeyScope[];

import { z } from "zod";

/** The scopes of named keys: the permissions that an account can give a program (0050). */
export const keyScopes = ["souls:read", "souls:write", "chat", "social", "account:read"] as const;
export type KeyScope = (typeof keyScopes)[number];

export const keyScope = z.enum(keyScopes).meta({ examples: ["chat"] });

/**
 * What a named key needs to call a procedure (decisions §3).
 * - a scope
 * - `main`: no named key may call it, only the main key or a session
 * - `public`: every key may call it
 */
export type KeyNeed = KeyScope | "main" | "public";

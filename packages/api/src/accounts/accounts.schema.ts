import { z } from "zod";
import { atMost, isLongerThan } from "../fields.schema.ts";

/** Not for people: they would pass for the hub itself. Answered like a taken name (decisions §2). */
export const reservedUsernames: ReadonlySet<string> = new Set([
  "about",
  "account",
  "admin",
  "administrator",
  "anonymous",
  "api",
  "app",
  "apps",
  "assistant",
  "chat",
  "docs",
  "guest",
  "help",
  "hub",
  "login",
  "logout",
  "me",
  "moderator",
  "null",
  "owner",
  "register",
  "root",
  "security",
  "settings",
  "soul",
  "soul-hub",
  "soulhub",
  "souls",
  "staff",
  "support",
  "system",
  "trpc",
  "undefined",
  "user",
  "webmaster",
]);

export const username = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{1,30}[A-Za-z0-9]$/,
    "must be 3 to 32 letters, digits, - or _, and begin and end with a letter or digit",
  )
  .meta({
    description: "3 to 32 letters, digits, - or _. Unique without regard to case.",
    examples: ["ada"],
  });

export const email = z
  .email()
  .max(254)
  .meta({ examples: ["ada@example.org"] });

export const newPassword = atMost(128)
  .refine((text) => isLongerThan(7, text), "must have at least 8 characters")
  .meta({ minLength: 8, maxLength: 128, format: "password", examples: ["correct horse battery"] });

/** A password at login: whatever was typed is compared, up to a size no password has. */
export const givenPassword = z
  .string()
  .max(1_024)
  .meta({ format: "password", examples: ["correct horse battery"] });

export const apiKey = z.string().meta({
  description: "`shk_` and 36 letters and digits. Goes in `Authorization: Bearer …`.",
  examples: ["shk_ThisIsAnExampleAndOpensNothing000000"],
});

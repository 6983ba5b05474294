import { z } from "zod";
import { atMost, field, isLongerThan, notBlank, singleLine } from "../fields.schema.ts";

/**
 * Reserved usernames, which could pass for the hub or its staff. A registration with one of them
 * fails like one with a taken name (decisions §2).
 */
export const reservedUsernames: ReadonlySet<string> = new Set(
  (
    "about account admin administrator anonymous api app apps assistant chat deleted docs ghost " +
    "guest help hub login logout me moderator null operator owner register root security settings soul " +
    "soul-hub soulhub souls staff support system trpc undefined user webmaster"
  ).split(" "),
);

/** Username of a new account. */
export const username = field(
  z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9_-]{1,30}[A-Za-z0-9]$/,
      "must be 3 to 32 letters, digits, - or _, and begin and end with a letter or digit",
    ),
  "ada",
  "3 to 32 letters, digits, - or _. Unique without regard to case.",
);

export const email = field(z.email().max(254), "ada@example.org");

const newPassword = atMost(128)
  .refine((text) => isLongerThan(7, text), "must have at least 8 characters")
  .meta({ minLength: 8, maxLength: 128, format: "password", examples: ["correct horse battery"] });

/** Username in a request about an existing account. An unknown name is no format error. */
export const givenUsername = field(z.string().max(254), "ada");

/** Password in a request, to compare with the stored hash. Only its length is limited. */
export const givenPassword = z
  .string()
  .max(1_024)
  .meta({ format: "password", examples: ["correct horse battery"] });

const MAX_NAME_CHARS = 60;

/** The name that an account gives to one of its keys or passkeys. */
export const givenName = (example: string) =>
  singleLine(MAX_NAME_CHARS)
    .refine(notBlank, "may not be empty")
    .meta({ minLength: 1, maxLength: MAX_NAME_CHARS, examples: [example] });

/** The token of a mailed link: the part of its address after `#`. */
export const linkToken = field(
  z.string().min(1).max(100),
  "VGhpcyBpcyBhbiBleGFtcGxlIGFuZCBvcGVucyBub3RoaW5n",
  "The part of the link after `#`.",
);

export const apiKey = field(
  z.string(),
  "shk_ThisIsAnExampleAndOpensNothing000000",
  "`shk_` and 36 letters and digits. Send it as `Authorization: Bearer …`.",
);

/** The input of POST /api/register. */
export const registration = z.object({
  username,
  password: newPassword,
  email,
  invite: field(
    z.string().max(200).optional(),
    "Zm9yIGFuIGV4YW1wbGUgb24",
    "Required where `registration` is `invite`, and ignored on an open hub.",
  ),
});
export type Registration = z.infer<typeof registration>;

const revokeKeys = (example: boolean) =>
  field(z.boolean().optional(), example, "Replace the main API key, and revoke every named one.");

/** The input of POST /api/change-password. */
export const passwordChange = z.object({
  current_password: givenPassword,
  new_password: field(newPassword, "a quieter battery"),
  confirm_password: field(givenPassword, "a quieter battery", "Must equal `new_password`."),
  revoke_keys: revokeKeys(false),
});
export type PasswordChange = z.infer<typeof passwordChange>;

/** The input of POST /api/reset-password. */
export const passwordReset = z.object({
  token: linkToken,
  new_password: field(newPassword, "a quieter battery"),
  revoke_keys: revokeKeys(true),
});
export type PasswordReset = z.infer<typeof passwordReset>;

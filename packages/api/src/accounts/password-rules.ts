import { HubError } from "../errors.ts";

/** Typed alike, in whatever Unicode form the keyboard made of it (decisions §2). */
export const isSamePassword = (a: string, b: string): boolean =>
  a.normalize("NFC") === b.normalize("NFC");

export const refusePassword = (field: string, message: string): HubError =>
  new HubError("invalid_input", { details: [{ field, message }] });

/** @throws HubError `invalid_input` for a password that is the account's own name or address */
export function assertNotOwnName(
  field: string,
  password: string,
  { username, email }: { username: string; email: string | null },
): void {
  const typed = password.normalize("NFC").toLowerCase();
  if (typed === username.toLowerCase() || typed === email?.toLowerCase()) {
    throw refusePassword(field, "must differ from the username and the email");
  }
}

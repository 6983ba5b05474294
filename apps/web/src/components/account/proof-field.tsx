import { PasswordInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Failure } from "../../failures.ts";
import { me } from "../../queries.ts";
import { answerWithPasskey, hasPasskeys } from "./passkey.ts";

/**
 * The field by which the owner of the account confirms a change (0060): the password, or with a
 * passkey nothing. Read it with {@link readProof}.
 */
export function ProofField({ error }: { error: string | undefined }) {
  const { data: user } = useQuery(me);
  const mayBeEmpty = hasPasskeys() && (user?.passkeys ?? 0) > 0;
  return (
    <PasswordInput
      name="password"
      label="Your password"
      description={mayBeEmpty ? "Leave it empty to use a passkey." : undefined}
      autoComplete="current-password"
      required={!mayBeEmpty}
      error={error}
    />
  );
}

/** Reads the proof of a form. With an empty password it asks for a passkey. */
export async function readProof(form: FormData) {
  const password = String(form.get("password") ?? "");
  return password ? { password } : { passkey: await answerWithPasskey() };
}

/** The problem of {@link ProofField} in a failure of the hub. */
export const proofProblem = (failure: Failure | undefined): string | undefined =>
  failure?.code === "wrong_password" ? failure.title : undefined;

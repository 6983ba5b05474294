import { useQuery } from "@tanstack/react-query";
import type { Failure } from "../../failures.ts";
import { me } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { answerWithPasskey, hasPasskeys } from "./passkey.ts";
import { PasswordField } from "./password-field.tsx";

interface ProofFieldProps {
  /** The problem of the field itself, such as a missing password. */
  problem: string | undefined;
  /** The failure of the form. */
  failure?: Failure | undefined;
}

/**
 * The field by which the owner of the account confirms a change (0060): the password, or with a
 * passkey nothing. Read it with {@link readProof}. A wrong password is shown at the field, and any
 * other failure below it.
 */
export function ProofField({ problem, failure }: ProofFieldProps) {
  const { data: user } = useQuery(me);
  const mayBeEmpty = hasPasskeys() && (user?.passkeys ?? 0) > 0;
  const wrong = failure?.code === "wrong_password" ? failure.title : undefined;
  return (
    <>
      <PasswordField
        description={mayBeEmpty ? "Leave it empty to use a passkey." : undefined}
        required={!mayBeEmpty}
        error={problem ?? wrong}
      />
      {failure && !wrong && <FailureNote failure={failure} />}
    </>
  );
}

/** Reads the proof of a form. With an empty password it asks for a passkey. */
export async function readProof(form: FormData) {
  const password = String(form.get("password") ?? "");
  return password ? { password } : { passkey: await answerWithPasskey() };
}

import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { useState } from "react";

const words = ["Too short", "Easy to guess", "Could be longer", "Good", "Very good"] as const;
const STEPS = [1, 2, 3, 4] as const;

/** A field for a new password, with an estimate of the strength of the password. */
export function NewPasswordField(props: PasswordInputProps) {
  const [password, setPassword] = useState("");
  return (
    <div>
      <PasswordInput
        autoComplete="new-password"
        required
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        {...props}
      />
      {password && <PasswordStrength password={password} />}
    </div>
  );
}

/** Shows the estimated strength. A weak password is allowed: the API requires eight characters. */
function PasswordStrength({ password }: { password: string }) {
  const strength = measure(password);
  return (
    <div className="row small" aria-live="polite">
      {STEPS.map((step) => (
        <span key={step} className="strength__bar" data-full={step <= strength} />
      ))}
      <span>{words[strength]}</span>
    </div>
  );
}

/**
 * Scores a password from 0 to 4, mainly by length. Repeated characters and a single character class
 * lower the score.
 */
function measure(password: string): 0 | 1 | 2 | 3 | 4 {
  const length = [...password].length;
  if (length < 8) return 0;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) =>
    kind.test(password),
  ).length;
  const distinct = new Set(password).size;
  const score = Math.min(length, distinct * 1.6) + (kinds - 1) * 2;
  if (score < 11) return 1;
  if (score < 15) return 2;
  return score < 20 ? 3 : 4;
}

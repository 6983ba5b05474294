const words = ["Too short", "Easy to guess", "Could be longer", "Good", "Very good"] as const;
const STEPS = [1, 2, 3, 4] as const;

/** A hint, never a hurdle: the hub asks for eight characters and nothing else. */
export function PasswordStrength({ password }: { password: string }) {
  if (!password) return null;
  const strength = measure(password);
  return (
    <div className="strength" aria-live="polite">
      {STEPS.map((step) => (
        <span key={step} className="strength__bar" data-full={step <= strength} />
      ))}
      <span>{words[strength]}</span>
    </div>
  );
}

/** Length counts most; repeated characters and a single kind of them count less. */
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

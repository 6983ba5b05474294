/** The name of the constraint that refused a statement, on either database; null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  const constraint =
    typeof error === "object" && error !== null && "constraint" in error ? error.constraint : null;
  return typeof constraint === "string" ? constraint : null;
}

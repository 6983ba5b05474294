import { type Failure, failureOf } from "../../failures.ts";

/** The page's texts of these codes are about other things. The API's own text fits. */
const OWN_TEXT = new Set(["not_owner", "limit_reached", "invalid_input", "soul_not_eligible"]);

/** The failure of a change. */
export function failureOfAction(error: unknown): Failure {
  const failure = failureOf(error);
  if (!OWN_TEXT.has(failure.code) || !(error instanceof Error)) return failure;
  const { recovery: _, ...rest } = failure;
  const [field] = Object.values(failure.fields);
  return { ...rest, title: "Nothing was changed", hint: field ? `${field}.` : error.message };
}

import { InvalidArgumentError } from "@commander-js/extra-typings";

/** Parses an argument or option. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number.");
}

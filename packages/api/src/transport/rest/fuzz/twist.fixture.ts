import type { Operation } from "./documented.fixture.ts";
import type { FuzzRequest, Refusal } from "./requests.fixture.ts";

/** One way to make a valid request hostile. */
export interface Twist {
  twist: string;
  fits?: (operation: Operation) => boolean;
  change: (request: FuzzRequest, nth: number) => Partial<FuzzRequest>;
  /** The failure that the hostile request must get, if there is exactly one. */
  refusal?: Refusal;
  weight?: number;
}

/** Returns whether an operation reads a request body. */
export const takesBody = ({ method, takesFile, body }: Operation) =>
  (method === "POST" || method === "PUT" || body !== null) && takesFile.length === 0;
export const pick = <T>(choices: readonly T[], nth: number): T =>
  choices[nth % choices.length] as T;

export const refused = (stage: Refusal["stage"], status: number, error: string): Refusal => ({
  stage,
  status,
  error,
});
export const invalidInput = refused("input", 400, "invalid_input");

export const withHeader = (name: string, value: string) => (request: FuzzRequest) => ({
  headers: { ...request.headers, [name]: value },
});
export const withHeaders =
  (name: string, values: readonly string[]) => (request: FuzzRequest, nth: number) =>
    withHeader(name, pick(values, nth))(request);

export const prototypeNames = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
] as const;

import fc from "fast-check";
import type { Operation } from "./documented.fixture.ts";
import { hostileAddresses } from "./hostile-addresses.fixture.ts";
import { hostileBodies } from "./hostile-bodies.fixture.ts";
import { hostileHeaders } from "./hostile-headers.fixture.ts";
import { type FuzzRequest, validRequest } from "./requests.fixture.ts";

const twists = [...hostileBodies, ...hostileAddresses, ...hostileHeaders];

/** Generates a valid request with one hostile change. */
export function hostileRequest(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const fitting = twists.filter(({ fits }) => fits?.(operation) ?? true);
  const twist = fc.oneof(
    ...fitting.map((one) => ({ weight: one.weight ?? 1, arbitrary: fc.constant(one) })),
  );
  return fc
    .tuple(validRequest(operation), twist, fc.nat(999))
    .map(([request, { twist: name, change, refusal }, nth]) => ({
      ...request,
      ...change(request, nth),
      kind: "hostile",
      twist: name,
      ...(refusal ? { refusal } : {}),
    }));
}

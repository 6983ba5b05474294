import type { FuzzRequest, Refusal } from "./requests.fixture.ts";
import type { Wire } from "./wire.fixture.ts";
import { cast } from "./world.fixture.ts";

const stages: Refusal["stage"][] = [
  "address",
  "method",
  "credential",
  "pass",
  "body",
  "site",
  "input",
];

const LONGEST_ADDRESS = 8_000;
const tooLong: Refusal = { stage: "address", status: 414, error: "uri_too_long" };

/** The refusal that the document and decisions §1 foresee for a request, or null where it may succeed. */
export function expectedRefusal(request: FuzzRequest, wire: Wire): Refusal | null {
  if (request.isElsewhere || request.method === "OPTIONS") return null;
  if (wire.target.length > LONGEST_ADDRESS && request.refusal?.status !== 431) return tooLong;
  const foreseen = [request.refusal, admission(request), badInput(request, wire)];
  const found = foreseen.filter((one) => one !== undefined && one !== null);
  const [first] = found.sort((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage));
  // To whoever is not the operator, the operator's addresses do not exist.
  return first?.stage === "credential" && request.operation.security.has("adminToken")
    ? { ...first, status: 404, error: "not_found" }
    : (first ?? null);
}

/** Who may call, as the document's `security` says. */
function admission({ actor, operation, headers }: FuzzRequest): Refusal | null {
  const { security, needsPass } = operation;
  const { shows } = cast[actor];
  const keepsCookie = headers.cookie === undefined;
  const isAdmitted =
    (shows === "key" && security.has("apiKey")) ||
    (shows === "session" && keepsCookie && security.has("session")) ||
    (shows === "admin token" && security.has("adminToken")) ||
    (/nothing|session|guest/.test(shows) && security.has("none"));
  if (!isAdmitted) return { stage: "credential", status: 401, error: "unauthenticated" };
  const { pass } = cast[actor as "vip"];
  const lacks = { none: "pass_required", expired: "pass_expired" }[pass as string];
  return needsPass && lacks ? { stage: "pass", status: 403, error: lacks } : null;
}

/** What the document's own schemas refuse. Of bytes that were tampered with, the twist itself knows more. */
function badInput({ kind, encode, rewrite, operation }: FuzzRequest, wire: Wire): Refusal | null {
  const isTampered = kind === "hostile" && (encode ?? rewrite) !== undefined;
  if (isTampered || operation.inputFault(wire.input) === null) return null;
  return { stage: "input", status: 400, error: "invalid_input" };
}

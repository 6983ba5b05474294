import { type FuzzRequest, type Refusal, stages } from "./requests.fixture.ts";
import type { Wire } from "./wire.fixture.ts";
import { cast } from "./world.fixture.ts";

/** The operations that need a pass in other people's rooms only, and read the room from the input. */
const needsPassByRoom = new Set(["GET /api/chat-export"]);

const MAX_URL_LENGTH = 8_000;
const tooLong: Refusal = { stage: "url", status: 414, error: "uri_too_long" };

/**
 * Returns the failure that the OpenAPI document and decisions §1 require for a request. Null if the
 * request may succeed.
 */
export function expectedRefusal(request: FuzzRequest, wire: Wire): Refusal | null {
  if (request.isElsewhere || request.method === "OPTIONS") return null;
  if (wire.target.length > MAX_URL_LENGTH && request.refusal?.status !== 431) return tooLong;
  const foreseen = [request.refusal, admission(request), badInput(request, wire)];
  const found = foreseen.filter((one) => one !== undefined && one !== null);
  const [first] = found.sort((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage));
  // For others, the endpoints of staff and operator do not exist.
  return first?.stage === "credential" && isHidden(request)
    ? { ...first, status: 404, error: "not_found" }
    : (first ?? null);
}

/** Tests for an endpoint of staff or operator, which answers no 401. */
const isHidden = ({ operation }: FuzzRequest) => !operation.statuses.has(401);

/** Checks the actor against the `security` of the operation. */
function admission(request: FuzzRequest): Refusal | null {
  const { actor, operation, headers } = request;
  const { security, needsPass } = operation;
  const { shows } = cast[actor];
  const keepsCookie = headers.cookie === undefined;
  // No actor is of the staff.
  const isAccount = !isHidden(request);
  const isAdmitted =
    (isAccount && shows === "key" && security.has("key")) ||
    (isAccount && shows === "session" && keepsCookie && security.has("session")) ||
    (shows === "admin token" && security.has("adminToken")) ||
    (/nothing|session|guest/.test(shows) && security.has("none"));
  if (!isAdmitted) return { stage: "credential", status: 401, error: "unauthenticated" };
  const { pass } = cast[actor as "vip"];
  const lacks = { none: "pass_required", expired: "pass_expired" }[pass as string];
  const stage = needsPassByRoom.has(operation.id) ? "room" : "pass";
  return needsPass && lacks ? { stage, status: 403, error: lacks } : null;
}

/**
 * Validates the input by the OpenAPI document's schemas. A hostile request with a changed encoding
 * or URL states its expected failure itself.
 */
function badInput({ kind, encode, rewrite, operation }: FuzzRequest, wire: Wire): Refusal | null {
  const isTampered = kind === "hostile" && (encode ?? rewrite) !== undefined;
  if (isTampered || operation.inputFault(wire.input) === null) return null;
  return { stage: "input", status: 400, error: "invalid_input" };
}

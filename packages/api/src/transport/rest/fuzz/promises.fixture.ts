import { bodyRecipes, crossFieldRules } from "./body-recipes.fixture.ts";
import { failureFault } from "./documented.fixture.ts";
import { expectedRefusal } from "./expected.fixture.ts";
import type { FuzzRequest } from "./requests.fixture.ts";
import { NEVER_LOGGED } from "./secrets.fixture.ts";
import type { Wire, WireAnswer } from "./wire.fixture.ts";
import { cast, type World } from "./world.fixture.ts";

interface Exchange {
  request: FuzzRequest;
  wire: Wire;
  answer: WireAnswer;
  world: World;
  /** Lines that the hub logged since the previous request was answered. */
  logged: string[];
}

interface FailureText {
  success?: unknown;
  error?: string;
  request_id?: string;
  details?: unknown;
}

/** Lists the promises of the API that an answer breaks. */
export function brokenPromises(exchange: Exchange): string[] {
  return [
    ...wrongStatus(exchange),
    ...wrongShape(exchange),
    ...wrongHeaders(exchange),
    ...leaks(exchange),
  ];
}

const isOperation = ({ request: { method, operation, isElsewhere } }: Exchange) =>
  !isElsewhere &&
  (method === operation.method || (method === "HEAD" && operation.method === "GET"));

function wrongStatus(exchange: Exchange): string[] {
  const { request, wire, answer, logged } = exchange;
  const { status } = answer;
  if (status === 500) return [`answered 500: ${logged.join("")}`];
  const broken: string[] = [];
  if (isOperation(exchange) && !request.operation.statuses.has(status)) {
    broken.push(`${status} is not declared: ${answer.text.slice(0, 300)}`);
  }
  const expected = expectedRefusal(request, wire);
  if (expected) {
    const error = request.method === "HEAD" ? expected.error : parsed(answer)?.error;
    if (status !== expected.status || error !== expected.error) {
      broken.push(`wants ${expected.status} ${expected.error}, got ${status} ${error}`);
    }
  } else if (request.kind === "nearly valid") {
    const { id } = request.operation;
    const isJudged = !crossFieldRules.has(id) && !(id in bodyRecipes);
    if (isJudged && parsed(answer)?.error === "invalid_input") {
      broken.push(`is still as documented, got ${answer.text}`);
    }
  } else if (request.kind === "valid") {
    const refusals = crossFieldRules.has(request.operation.id) ? [401] : [400];
    const tooEarly = [...refusals, 405, 413, 414, 415, 422, 431];
    const isProof = /wallet|login|passkeys.options/.test(request.operation.path);
    // The fuzzer has no link or code that the hub made.
    const isUnknown = /^(?:token|invite)_invalid$/.test(parsed(answer)?.error ?? "");
    if (tooEarly.includes(status) && !isProof && !isUnknown) {
      broken.push(`is as documented, got ${status}: ${answer.text.slice(0, 300)}`);
    }
  }
  return broken;
}

function parsed({ text }: WireAnswer): FailureText | undefined {
  try {
    return JSON.parse(text) as FailureText;
  } catch {
    return undefined;
  }
}

function wrongShape(exchange: Exchange): string[] {
  const { request, answer } = exchange;
  const { status, headers, text } = answer;
  const hasNoBody = request.method === "HEAD" || status === 204 || status === 304;
  if (hasNoBody) return text === "" ? [] : [`a body with ${request.method} and ${status}`];
  const type = headers["content-type"] ?? "none";
  if (type.startsWith("text/event-stream") && request.operation.streams)
    return wrongStream(exchange);
  const isFile = request.operation.fileTypes.has(type.replace(/;.*/, ""));
  if (isFile && status === 200) return [];
  const body = parsed(answer);
  if (!type.startsWith("application/json") || !body)
    return [`no JSON: ${type} ${text.slice(0, 200)}`];
  return status === 200
    ? faults(request.operation.answerFault(200, body))
    : wrongFailure(exchange, body);
}

const faults = (fault: string | null): string[] => (fault === null ? [] : [`body: ${fault}`]);

function wrongFailure(exchange: Exchange, body: FailureText): string[] {
  const { request, answer } = exchange;
  const broken = faults(failureFault(body));
  if (isOperation(exchange))
    broken.push(...faults(request.operation.answerFault(answer.status, body)));
  if (body.request_id !== answer.headers["x-request-id"]) broken.push("another request_id");
  const mayDetail = body.error === "invalid_input" || body.error === "import_invalid";
  if (body.details && !mayDetail) broken.push(`details with ${body.error}`);
  if (/node_modules|\bat \w+ \(|select |insert |ZodError|TRPCError/i.test(answer.text)) {
    broken.push(`internals in ${answer.text}`);
  }
  return broken;
}

/** A delta of a reply; self-chat names none. */
const DELTA = /^event: delta\ndata: \{("reply_id":"[\w-]+","soul_id":\d+,)?"offset":\d+,"text":/;

/**
 * Checks that an event stream has deltas, then the documented answer or a failure (decisions §5).
 */
function wrongStream({ request, answer }: Exchange): string[] {
  const events = answer.text.split("\n\n").filter(Boolean);
  const last = /^event: (done|error)\ndata: (.*)$/.exec(events.pop() ?? "");
  if (!last) return [`a stream without an end: ${answer.text.slice(-200)}`];
  const body: unknown = JSON.parse(last[2] ?? "");
  const isOdd = events.some((event) => !DELTA.test(event));
  return [
    ...(isOdd ? ["an odd event in the stream"] : []),
    ...faults(last[1] === "done" ? request.operation.answerFault(200, body) : failureFault(body)),
  ];
}

function wrongHeaders(exchange: Exchange): string[] {
  const { request, wire, answer } = exchange;
  const { status, headers } = answer;
  const broken: string[] = [];
  const promise = (isKept: boolean, what: string) =>
    isKept || broken.push(`${status} without ${what}`);
  promise(/^[\w-]{8,64}$/.test(headers["x-request-id"] ?? ""), "X-Request-Id");
  const given = wire.headers["x-request-id"] ?? "";
  if (/^[\w-]{8,64}$/.test(given))
    promise(headers["x-request-id"] === given, "the given X-Request-Id");
  if (status === 401) promise(headers["www-authenticate"] === "Bearer", "WWW-Authenticate");
  if (status === 429 || status === 503)
    promise(/^\d+$/.test(headers["retry-after"] ?? ""), "Retry-After");
  if (status === 405 || status === 204) {
    const allowed = headers.allow?.split(", ") ?? [];
    const { method } = request.operation;
    const own = method === "GET" ? ["OPTIONS", "GET", "HEAD"] : ["OPTIONS", method];
    // A rewritten path may be that of another operation: `/api/sessions/` is `/api/sessions/{id}`.
    const names = request.isElsewhere ? ["OPTIONS"] : own;
    promise(
      names.every((name) => allowed.includes(name)),
      `Allow: ${names}, but ${headers.allow}`,
    );
  }
  // Node sends 431 before it parses the request, so the response lacks the hub's headers.
  if (status === 431 || request.isElsewhere) return broken;
  promise(headers["access-control-allow-origin"] === "*", "Access-Control-Allow-Origin");
  if (/key|session|admin/.test(cast[request.actor].shows) && isOperation(exchange)) {
    promise(headers["cache-control"] === "no-store" || !wire.headers.authorization, "no-store");
  }
  return broken;
}

/** Finds secrets in the hub's log, and in answers to actors that may not receive them. */
function leaks({ request, wire, answer, world, logged }: Exchange): string[] {
  const shown = `${JSON.stringify(answer.headers)}\n${answer.text}`;
  const sent = `${wire.target}\n${wire.body ?? ""}`;
  const log = logged.join("");
  const broken = log.includes(NEVER_LOGGED) ? [`a private text in the log: ${log}`] : [];
  for (const { what, text, owner, asked } of world.canaries()) {
    if (log.includes(text)) broken.push(`${what} in the log: ${log}`);
    if (!shown.includes(text)) continue;
    const isOwners = owner !== undefined && request.actor.startsWith(owner);
    const isAsked = asked?.includes(request.operation.id) ?? false;
    // An answer may repeat values of the request, except credentials.
    const isRepeated = owner !== undefined && sent.includes(text);
    if (!isOwners && !isAsked && !isRepeated) broken.push(`${what} in ${shown.slice(0, 2_000)}`);
  }
  return broken;
}

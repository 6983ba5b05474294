import type { RestEndpoint } from "../../transport/rest/rest-endpoints.ts";
import { expectedOutcomes, type Row } from "./access-matrix.ts";
import type { CallerKind } from "./caller-kinds.ts";

/** The columns of the table, by kind of caller. */
const columns: Readonly<Partial<Record<CallerKind, string>>> = {
  nobody: "nobody",
  guest: "guest",
  member: "member",
  owner: "owner",
  suspended: "suspended",
  silenced: "silenced",
  blocked: "blocked",
  moderator: "moderator",
  adminStaff: "admin",
  operator: "operator",
};
const callers = Object.keys(columns) as CallerKind[];

const preface = `# Access

The response of every REST endpoint to a request that succeeds for some caller. Generated from the
access matrix, which sends these requests: \`pnpm test access-matrix -u\` rewrites this file.

- \`member\` has a session and no pass. \`owner\` has a key, a pass, and the soul or room concerned.
- \`suspended\` and \`silenced\` are restricted accounts. \`blocked\` is blocked by the owner.
- \`moderator\` and \`admin\` are staff. \`operator\` has ADMIN_TOKEN.
- An empty cell means that no test sends such a request.
`;

/** Returns the table of all endpoints × callers as Markdown, for docs/access.md. */
export function accessTable(
  endpoints: readonly RestEndpoint[],
  rowsOf: (endpoint: RestEndpoint) => readonly Row[],
): string {
  const lines = endpoints.map((endpoint) => {
    const outcomes = bestOutcomes(endpoint, rowsOf(endpoint));
    const cells = callers.map((caller) => outcomes.get(caller) ?? "");
    return `| ${[`\`${endpoint.method} ${endpoint.path}\``, ...cells].join(" | ")} |`;
  });
  const head = ["Endpoint", ...Object.values(columns)];
  return [
    preface,
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---").join("|")}|`,
    ...lines,
    "",
  ].join("\n");
}

/** For each caller, 200 if a row succeeds for it. Otherwise the outcome of a row that can succeed. */
function bestOutcomes(endpoint: RestEndpoint, rows: readonly Row[]): Map<CallerKind, string> {
  const best = new Map<CallerKind, string>();
  const all = rows.map((row) => Object.entries(expectedOutcomes(row, endpoint)));
  // Rows with a success first. The other rows only fill the cells that are still empty.
  all.sort((a, b) => successes(b) - successes(a));
  for (const [caller, outcome] of all.flat() as [CallerKind, string][]) {
    if (outcome === "200" || !best.has(caller)) best.set(caller, outcome);
  }
  return best;
}

const successes = (outcomes: readonly (readonly [string, string])[]) =>
  outcomes.filter(([, outcome]) => outcome === "200").length;

import type { RestEndpoint } from "../../transport/rest/rest-endpoints.ts";
import { expectedOutcomes, type Outcome, type Row } from "./access-matrix.ts";
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

This table shows the response of every REST endpoint to a request that succeeds for some caller. The
access matrix sends these requests. \`pnpm test access-matrix -u\` rewrites this file.

- \`nobody\` has no cookie. \`guest\` has a guest's cookie.
- \`member\` has a session. Rows with 401 in this column need a key.
- \`owner\` has a key and a pro pass, and owns the soul or room concerned.
  Only the soul of \`POST /version-signature\` belongs to somebody else.
- \`suspended\` and \`silenced\` are restricted accounts with a key. \`silenced\` has a vip pass.
- \`blocked\` has a key and a vip pass. The owner of the soul or room concerned has blocked it.
- \`moderator\` has a key and no pass. \`admin\` has a session. Both are staff.
- \`operator\` has ADMIN_TOKEN.
- \`*\` marks an endpoint whose success another test covers. Its cells show a refused request.
`;

/** Returns the table of all endpoints × callers as Markdown, for docs/access.md. */
export function accessTable(
  endpoints: readonly RestEndpoint[],
  rowsOf: (endpoint: RestEndpoint) => readonly Row[],
): string {
  const lines = endpoints.map((endpoint) => {
    const outcomes = bestOutcomes(endpoint, rowsOf(endpoint));
    const cells = callers.map((caller) => outcomes.get(caller) ?? "");
    const mark = [...outcomes.values()].includes("200") ? "" : "*";
    return `| ${[`\`${endpoint.method} ${endpoint.path}\`${mark}`, ...cells].join(" | ")} |`;
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

/** For each caller, the outcome that tells most. Rows that most callers succeed with come first. */
function bestOutcomes(endpoint: RestEndpoint, rows: readonly Row[]): Map<CallerKind, Outcome> {
  const best = new Map<CallerKind, Outcome>();
  const all = rows.map((row) => Object.entries(expectedOutcomes(row, endpoint)));
  all.sort((a, b) => successes(b) - successes(a));
  for (const [caller, outcome] of all.flat() as [CallerKind, Outcome][]) {
    if (rank(outcome) > rank(best.get(caller))) best.set(caller, outcome);
  }
  return best;
}

const successes = (outcomes: readonly (readonly [string, string])[]) =>
  outcomes.filter(([, outcome]) => outcome === "200").length;

/** A success tells more than a failure, and a block more than a success elsewhere. */
function rank(outcome: Outcome | undefined): number {
  if (outcome === "403 blocked") return 3;
  if (outcome === "200") return 2;
  return outcome ? 1 : 0;
}

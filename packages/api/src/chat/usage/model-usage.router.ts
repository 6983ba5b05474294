import { z } from "zod";
import { field } from "../../fields.schema.ts";
import { admin, router } from "../../trpc/trpc.ts";
import { reportUsage } from "./usage-report.service.ts";

/** The longest report in days, which is also the default of `RETAIN_USAGE` (0035). */
const MAX_DAYS = 90;

const count = field(z.int().min(0), 1);
const day = field(z.string(), "2026-01-31").describe("UTC.");
const tokens = {
  input_tokens: field(
    count.nullable(),
    812,
    "As reported by the providers. Null if none reported any.",
  ),
  output_tokens: field(count.nullable(), 96),
};

/** The operator's report of model calls (docs/decisions/0013). */
export const modelUsageRouter = router({
  report: admin
    .meta({
      rest: "GET /admin/usage",
      summary: "Read the cost and outcomes of model calls",
      description:
        "Requires the operator's ADMIN_TOKEN as Bearer; any other caller gets 404. One entry per day, provider, model and outcome, at most 1,000: the newest day first, then most calls first. A call appears about a second after its end.",
      failures: ["user_not_found"],
    })
    .input(
      z.object({
        days: field(
          z.int().min(1).max(MAX_DAYS).default(7),
          7,
          "Number of UTC days, including today.",
        ),
        username: field(
          z.string().max(254).optional(),
          "ada",
          "Restricts the report to this account.",
        ),
      }),
    )
    .output(
      z.object({
        from: day,
        to: day,
        total: z.object({ calls: count, ok: count, ...tokens }),
        usage: z.array(
          z.object({
            day,
            provider: field(z.string(), "openai"),
            model: field(
              z.string(),
              "gpt-5-mini",
              "Without `username`, all models of own keys of a provider share the entry `own-key`.",
            ),
            own_key: field(z.boolean(), false, "Called with the account's own key."),
            outcome: field(z.string(), "ok", "`ok`, or the error code."),
            calls: count,
            ...tokens,
            median_first_token_ms: field(count.nullable(), 410, "Null if no call produced text."),
            median_ms: field(count, 1_930),
          }),
        ),
        has_more: field(z.boolean(), false, "More entries exist. `total` counts all of them."),
      }),
    )
    .query(({ ctx, input }) => reportUsage(ctx, input)),
});

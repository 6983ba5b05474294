import { z } from "zod";
import { admin, router } from "../../trpc.ts";
import { reportUsage } from "./usage-report.service.ts";

/** Rows are kept for 90 days (docs/decisions/0013). */
const MAX_DAYS = 90;

const count = z
  .int()
  .min(0)
  .meta({ examples: [1] });
const day = z.string().meta({ examples: ["2026-01-31"], description: "UTC." });
const tokens = {
  input_tokens: count.nullable().meta({
    description: "As the providers count them. Null where none told any.",
    examples: [812],
  }),
  output_tokens: count.nullable().meta({ examples: [96] }),
};

/** For the operator (docs/decisions/0013). */
export const modelUsageRouter = router({
  report: admin
    .meta({
      rest: {
        method: "GET",
        path: "/admin/usage",
        tag: "Operator",
        summary: "Read what calls to models cost and how they ended",
        description:
          "Needs the operator's ADMIN_TOKEN as Bearer; for everybody else this address does not exist. One entry for each day, provider, model and outcome: the newest day first, most calls first, at most 1,000. A call shows up within about a second after its end.",
        failures: ["user_not_found"],
      },
    })
    .input(
      z.object({
        days: z
          .int()
          .min(1)
          .max(MAX_DAYS)
          .default(7)
          .meta({
            description: "Days (UTC) up to now, today among them.",
            examples: [7],
          }),
        username: z
          .string()
          .max(254)
          .optional()
          .meta({ description: "Only this account's calls.", examples: ["ada"] }),
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
            provider: z.string().meta({ examples: ["openai"] }),
            model: z.string().meta({
              description:
                "Without `username` all models behind own keys of a provider are one: `own-key`.",
              examples: ["gpt-5-mini"],
            }),
            own_key: z
              .boolean()
              .meta({ description: "Paid with the account's own key.", examples: [false] }),
            outcome: z
              .string()
              .meta({ description: "`ok`, or the failure's code.", examples: ["ok"] }),
            calls: count,
            ...tokens,
            median_first_token_ms: count
              .nullable()
              .meta({ description: "Null where no text came.", examples: [410] }),
            median_ms: count.meta({ examples: [1_930] }),
          }),
        ),
        has_more: z.boolean().meta({
          description: "There are more entries; `total` has them all.",
          examples: [false],
        }),
      }),
    )
    .query(({ ctx, input }) => reportUsage(ctx, input)),
});

import { sql } from "kysely";
import { findPassHolder } from "../../accounts/account.queries.ts";
import type { CallContext } from "../../context.ts";
import { utcDay } from "../../quota/quota.service.ts";
import { OWN_KEY_MODELS } from "./model-usage-log.ts";

const MAX_ENTRIES = 1_000;

interface Entry {
  day: string;
  provider: string;
  model: string;
  own_key: boolean;
  outcome: string;
  calls: number;
  /** Sum of the input tokens; null if the provider reported none. */
  input_tokens: number | null;
  output_tokens: number | null;
  median_first_token_ms: number | null;
  median_ms: number;
}

interface Totals {
  all_calls: number;
  all_ok: number;
  all_input_tokens: number | null;
  all_output_tokens: number | null;
}

/**
 * Reports the model calls of the last `days` UTC days by day, provider, model and outcome
 * (docs/decisions/0013).
 * @throws HubError `user_not_found`
 */
export async function reportUsage(
  ctx: CallContext,
  { days, username }: { days: number; username?: string | undefined },
) {
  const holder = username === undefined ? null : await findPassHolder(ctx.db, username);
  // Writes this server's queued rows first, so that the report includes them.
  await ctx.hub.modelUsage.flush();
  const { from, to } = await readPeriod(ctx, days);
  // The report about all accounts has one name for the models of accounts' own provider keys.
  // Accounts choose the real names freely and could otherwise fill the report.
  const model = holder ? sql`model` : sql`case when own_key then ${OWN_KEY_MODELS} else model end`;
  const { rows } = await sql<Entry & Totals>`
    with entries as (
      select (at at time zone 'utc')::date::text as day, provider, ${model} as model, own_key,
        outcome,
        count(*) as calls,
        sum(input_tokens)::bigint as input_tokens,
        sum(output_tokens)::bigint as output_tokens,
        percentile_disc(0.5) within group (order by first_token_ms) as median_first_token_ms,
        percentile_disc(0.5) within group (order by total_ms) as median_ms
      from model_usage
      where at >= ${from}::date at time zone 'utc'
        ${holder ? sql`and account_id = ${holder.account.id}` : sql``}
      group by 1, provider, 3, own_key, outcome)
    select *,
      sum(calls) over ()::bigint as all_calls,
      coalesce(sum(calls) filter (where outcome = 'ok') over (), 0)::bigint as all_ok,
      sum(input_tokens) over ()::bigint as all_input_tokens,
      sum(output_tokens) over ()::bigint as all_output_tokens
    from entries
    order by day desc, calls desc, provider, model, own_key, outcome
    limit ${MAX_ENTRIES + 1}`.execute(ctx.db);
  const [first] = rows;
  return {
    from,
    to,
    total: {
      calls: first?.all_calls ?? 0,
      ok: first?.all_ok ?? 0,
      input_tokens: first ? first.all_input_tokens : 0,
      output_tokens: first ? first.all_output_tokens : 0,
    },
    usage: rows.slice(0, MAX_ENTRIES),
    has_more: rows.length > MAX_ENTRIES,
  };
}

async function readPeriod({ db }: CallContext, days: number) {
  const { rows } = await sql<{ from: string; to: string }>`
    select (${utcDay} - ${days - 1}::int)::text as "from", ${utcDay}::text as "to"`.execute(db);
  const [period] = rows;
  if (!period) throw new Error("The database returned no date.");
  return period;
}

import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type ComparedFile,
  compareFiles,
  describeDifference,
  unifiedDiffs,
} from "@soul-hub/soul-diff";
import { filesOf } from "@soul-hub/soul-formats";
import type { CallContext } from "../../../context.ts";
import { HubError } from "../../../errors.ts";
import { nftRequired } from "../../soul-access.ts";
import {
  openHistory,
  readState,
  readStateBefore,
  type SoulHistory,
  type SoulState,
} from "../soul-history.ts";

const COMPARED_FIELDS = ["title", "description", "role", "domain", "compatibility"] as const;
/** Lines of context in the unified diff. */
const CONTEXT_LINES = 3;
/** A comparison costs one rate limit point more for each 5 ms that it takes (0009). */
const MS_PER_POINT = 5;

/**
 * Compares two states of a soul, by default the present one with the newest one before it.
 * @param signal ends the comparison, for example when the client has disconnected
 * @throws HubError `soul_not_found`, `version_not_found`, `nft_required`, `chain_unavailable`,
 *   `rate_limited`, `overloaded`
 */
export async function compareVersions(
  ctx: CallContext,
  { soul_id, from, to }: { soul_id: number; from?: number | undefined; to?: number | undefined },
  signal?: AbortSignal,
) {
  const history = await openHistory(ctx, soul_id);
  const after = await readState(history, to);
  const before = await (from === undefined
    ? readStateBefore(history, after)
    : readState(history, from));
  if (before.content_hidden || after.content_hidden) throw hiddenContent(history);
  const fields = COMPARED_FIELDS.filter((name) => before[name] !== after[name]).map((name) => ({
    name,
    before: before[name],
    after: after[name],
  }));
  const files = await ctx.hub.comparing.run(ctx.ipHash(), () =>
    compareTexts(ctx, { before, after, signal }),
  );
  const { kinds: differs_in, summary } = describeDifference({
    before: formOf(before),
    after: formOf(after),
    fields: fields.map(({ name }) => name),
    files,
  });
  return { data: { from: before.number, to: after.number, differs_in, summary, fields, files } };
}

function hiddenContent({ soul, reader }: SoulHistory): HubError {
  const isGated = reader !== "owner" && !reader.passes;
  return isGated
    ? nftRequired(soul)
    : new HubError("nft_required", { message: "This version was behind an NFT gate." });
}

interface Comparison {
  before: SoulState;
  after: SoulState;
  signal: AbortSignal | undefined;
}

async function compareTexts(ctx: CallContext, { before, after, signal }: Comparison) {
  const compared: ComparedFile[] = [];
  let [spentMs, charged] = [0, 0];
  const charge = async () => {
    signal?.throwIfAborted();
    const points = Math.floor(spentMs / MS_PER_POINT);
    // With 0 points, too, a caller over the limit is refused.
    await ctx.limit(ctx.caller, "read", points - charged);
    charged = points;
  };
  await charge();
  let begun = performance.now();
  for (const file of compareFiles(soulFiles(before), soulFiles(after), CONTEXT_LINES)) {
    spentMs += performance.now() - begun;
    compared.push(file);
    await charge();
    await nextTurn();
    begun = performance.now();
  }
  const texts = unifiedDiffs(compared);
  return compared.map(({ name, state, added, removed, isWhole }, at) => ({
    name,
    state,
    added,
    removed,
    is_whole: isWhole,
    unified: texts[at] ?? "",
  }));
}

const formOf = (state: SoulState) => ({
  content: state.content,
  file_type: state.file_type,
  files: soulFiles(state),
  package: state.package_id,
});

const soulFiles = ({ content, file_type }: SoulState) =>
  Object.entries(filesOf({ content, file_type: file_type ?? "single_md" })).map(([name, text]) => ({
    name,
    text,
  }));

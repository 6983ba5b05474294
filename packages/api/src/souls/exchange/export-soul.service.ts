import { type ExportFormatName, exportFormats } from "@soul-hub/soul-formats";
import { slugOf } from "@soul-hub/soul-names";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { categorySlugs } from "../categories.ts";
import { packageSize, readPackage } from "../packages/packages.queries.ts";
import { openHistory, readSnapshot, readState } from "../versions/soul-history.ts";

/**
 * A package costs one more call for each 64 KiB (0009). Reading and packing 16 MiB takes as long as
 * hundreds of other reads.
 */
const BYTES_PER_POINT = 64 * 1024;

interface ExportInput {
  id: number;
  format: ExportFormatName;
  /** The id of a snapshot; by default the present state is exported. */
  version_id?: number | undefined;
}

/**
 * Writes a soul, or a former version of it, as a file (0052).
 * @throws HubError `soul_not_found`, `version_not_found`, `nft_required`, `chain_unavailable`,
 *   `rate_limited`
 */
export async function exportSoulFile(ctx: CallContext, { id, format, version_id }: ExportInput) {
  const history = await openHistory(ctx, id);
  const state = await (version_id === undefined
    ? readState(history)
    : readSnapshot(history, version_id));
  if (state.content_hidden || state.file_type === null) throw new HubError("nft_required");
  const size = await packageSize(ctx.db, state.package_id);
  await ctx.limit(ctx.caller, "read", Math.ceil(size / BYTES_PER_POINT));
  const { title, description, content, file_type, role, domain, compatibility } = state;
  const soul = {
    title,
    description,
    content,
    file_type,
    role,
    domain,
    compatibility,
    package: await readPackage(ctx.db, state.package_id),
  };
  const slug = slugOf(title);
  const { extension, mediaType } = exportFormats[format];
  const bytes = await ctx.hub.formats.run("exportSoul", format, soul, {
    id,
    slug,
    author: history.soul.username,
    version: `1.0.${state.number - 1}`,
    roles: categorySlugs,
  });
  return { name: `${slug}-${id}.${extension}`, mediaType, bytes };
}

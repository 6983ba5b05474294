import { Failure } from "@soul-hub/program";
import { type ExportFormatName, openZip } from "@soul-hub/soul-formats";
import { ARCHIVE_LIMITS } from "../archive/read-archive.ts";
import { onHub } from "../hub/session.ts";
import { fetchFile, saveFile } from "../hub/transfer.ts";

interface ExportOptions {
  all?: true | undefined;
  format?: ExportFormatName | undefined;
  include?: string | undefined;
  out?: string | undefined;
}

/** Saves a soul as a file, or everything of the account as an archive. */
export const exportFile = (id: number | undefined, { all, ...options }: ExportOptions) =>
  onHub(async (hub) => {
    if ((id === undefined) !== (all === true)) {
      throw new Failure("bad_arguments", "Name a soul, or give --all.");
    }
    if (all && options.format) {
      throw new Failure("bad_arguments", "An archive has no --format.");
    }
    if (!all && options.include) {
      throw new Failure("bad_arguments", "--include is for --all.");
    }
    const { format = "zip", include } = options;
    const address = all
      ? `/api/export${include ? `?include=${encodeURIComponent(include)}` : ""}`
      : `/api/soul/${id}/export?format=${format}`;
    const sent = await fetchFile(hub, address);
    const file = options.out ?? sent.name;
    // An archive holds private conversations.
    const bytes = await saveFile(sent, file, all ? { mode: 0o600, check: assertComplete } : {});
    return { json: { file, bytes }, lines: [`Wrote ${file} (${bytes} bytes).`] };
  });

/** The manifest is the last file of an archive, so one without it was cut off. */
async function assertComplete(draft: string): Promise<void> {
  await using zip = await openZip(draft, ARCHIVE_LIMITS);
  if (zip.paths.includes("manifest.json")) return;
  throw new Failure("download_failed", "The archive is incomplete. Try again.");
}

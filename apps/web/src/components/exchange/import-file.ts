/** What an import did, or would do (POST /api/souls/import). */
export interface ImportResult {
  id: number | null;
  format: string;
  files: ReadonlyArray<{ path: string; size: number; kept: "content" | "package" }>;
  warnings: ReadonlyArray<{ path: string; message: string }>;
}

/** A refused import, with the body of the hub's answer. */
export class ImportRefused extends Error {
  readonly body: { error?: unknown; details?: unknown };

  constructor(body: { error?: unknown; details?: unknown; message?: unknown }) {
    super(typeof body.message === "string" ? body.message : "");
    this.body = body;
  }
}

/**
 * Sends a file to the hub, as it is.
 * @throws ImportRefused; TypeError without a connection
 */
export async function importFile(file: File, isDry: boolean): Promise<ImportResult> {
  const response = await fetch(`/api/souls/import${isDry ? "?dry_run=1" : ""}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: file,
  });
  const body: unknown = await response.json();
  if (!response.ok) throw new ImportRefused(body as ImportRefused["body"]);
  return body as ImportResult;
}

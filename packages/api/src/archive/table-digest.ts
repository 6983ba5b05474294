import { createHash, type Hash, hash } from "node:crypto";
import type { TableColumns, TableDigest } from "./archive-format.ts";
import { type CopyPort, ROW_END } from "./copy-port.ts";

const MODULUS = 1n << 128n;

/** Computes the digest of a table from its rows in COPY text format. */
export class TableDigester {
  readonly #sha256: Hash = createHash("sha256");
  #rest: Buffer[] = [];
  #rows = 0;
  #bytes = 0;
  #sum = 0n;

  /** Adds text that begins and ends anywhere in a row. */
  add(text: Buffer): void {
    this.#sha256.update(text);
    this.#bytes += text.length;
    let start = 0;
    for (let end = text.indexOf(ROW_END); end !== -1; end = text.indexOf(ROW_END, start)) {
      this.#addRow(text.subarray(start, end));
      start = end + 1;
    }
    if (start < text.length) this.#rest.push(text.subarray(start));
  }

  #addRow(end: Buffer): void {
    const row = this.#rest.length > 0 ? Buffer.concat([...this.#rest, end]) : end;
    this.#rest = [];
    const digest = hash("sha256", row, "buffer");
    this.#sum += (digest.readBigUInt64BE(0) << 64n) | digest.readBigUInt64BE(8);
    this.#rows++;
  }

  digest(): TableDigest {
    return {
      rows: this.#rows,
      bytes: this.#bytes,
      sha256: this.#sha256.digest("hex"),
      rows_hash: (this.#sum % MODULUS).toString(16).padStart(32, "0"),
    };
  }
}

/** The digest of a table's rows as they are now. */
export async function digestTable(source: CopyPort, table: TableColumns): Promise<TableDigest> {
  const digester = new TableDigester();
  for await (const rows of source.copyOut(table)) digester.add(rows);
  return digester.digest();
}

import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { hostileCards } from "./card/hostile-cards.fixture.ts";
import { hostileZips } from "./zip/raw-zip.fixture.ts";

const MB = 1024 * 1024;
const program = fileURLToPath(new URL("hostile-memory.fixture.ts", import.meta.url));

it("all hostile files together take at most 64 MiB beside the file itself", async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), "soul-hub-hostile-"));
  const files = Object.values({ ...hostileZips, ...hostileCards });
  let largest = 0;
  for (const [at, bytes] of files.entries()) {
    const file = bytes();
    largest = Math.max(largest, file.length);
    await writeFile(path.join(folder.path, String(at)), file);
  }
  const { stdout } = await promisify(execFile)(process.execPath, [program, folder.path]);
  const { refused, bytes } = JSON.parse(stdout) as { refused: number; bytes: number };
  expect(refused).toBe(files.length);
  expect(bytes).toBeLessThan(64 * MB + largest);
});

import { execFile } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { copyEmbeddedTemplate } from "../../testing/test-database.ts";

const MB = 1024 * 1024;
const SIZE = 14 * MB;
const program = fileURLToPath(new URL("package-memory.fixture.ts", import.meta.url));

it("the embedded database stores and reads a large file in at most 64 MiB beside it", async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), "soul-hub-package-"));
  await copyEmbeddedTemplate(folder.path);
  // Without --liftoff-only, optimised code of the database appears at a random moment.
  const args = ["--expose-gc", "--liftoff-only", program, folder.path, String(SIZE)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { isSame, stored, read } = JSON.parse(stdout) as Record<string, number>;
  expect(isSame).toBe(true);
  expect(stored).toBeLessThan(64 * MB);
  expect(read).toBeLessThan(64 * MB + SIZE);
});

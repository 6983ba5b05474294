import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { copyEmbeddedDatabase, createDatabase } from "./bench-database.ts";

/** The resources of scenarios. Disposal releases them in reverse order. */
export class Stage implements AsyncDisposable {
  readonly isSmoke: boolean;
  readonly #options: Record<string, string>;
  readonly #opened = new AsyncDisposableStack();
  readonly #shared = new Map<string, Promise<unknown>>();

  /** @param options the arguments `name=value` of `pnpm bench` */
  constructor(isSmoke: boolean, options: Record<string, string> = {}) {
    this.isSmoke = isSmoke;
    this.#options = options;
  }

  /** Returns the size of a measurement, or that of `pnpm bench smoke`. */
  size<T>(measured: T, smoke: T): T {
    return this.isSmoke ? smoke : measured;
  }

  option(name: string, measured: string, smoke = measured): string {
    return this.#options[name] ?? this.size(measured, smoke);
  }

  /** Returns what the first call with this key made. */
  share<T>(key: string, make: () => Promise<T>): Promise<T> {
    const shared = (this.#shared.get(key) as Promise<T> | undefined) ?? make();
    this.#shared.set(key, shared);
    return shared;
  }

  onEnd(cleanUp: () => unknown): void {
    this.#opened.defer(async () => void (await cleanUp()));
  }

  /** Creates a PostgreSQL database. A hub migrates it; in `pnpm bench smoke` it is migrated. */
  async newDatabase(content: "empty" | "migrated" = this.size("empty", "migrated")) {
    const { url, drop } = await createDatabase(content === "migrated");
    this.onEnd(drop);
    return url;
  }

  async newDirectory(parent = tmpdir()): Promise<string> {
    const directory = await mkdtemp(path.join(parent, "soul-hub-bench-"));
    this.onEnd(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
    return directory;
  }

  /** Creates a DATA_DIR. In `pnpm bench smoke` it contains a migrated embedded database. */
  async newDataDirectory(parent?: string): Promise<string> {
    const directory = await this.newDirectory(parent);
    if (this.isSmoke) await copyEmbeddedDatabase(directory);
    return directory;
  }

  [Symbol.asyncDispose]() {
    return this.#opened.disposeAsync();
  }
}

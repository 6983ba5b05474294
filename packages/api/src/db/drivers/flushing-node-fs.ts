import { fsyncSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { flushDirectory, flushTree } from "./flush-to-disk.ts";

/** WASI's number of the error EIO. PostgreSQL stops when a flush fails. */
const WASI_EIO = 29;

/** An open file of emscripten's NODEFS. An open directory has no descriptor. */
interface Stream {
  node: object;
  nfd?: number;
}

/** The parts of emscripten that this file uses. A later PGlite may lack them. */
interface Emscripten {
  FS: {
    ErrnoError: new (errno: number) => Error;
    filesystems: {
      NODEFS?: {
        realPath(node: object): string;
        stream_ops?: { fsync?: (stream: Stream) => number };
      };
    };
  };
}

/**
 * PGlite's Node file system with the `fsync` that it lacks (0029). Without one, emscripten reports
 * success and flushes nothing.
 */
export class FlushingNodeFs extends NodeFS {
  /** PGlite's parameters, but with flushing, and not by `fdatasync`, which does nothing here. */
  static readonly startParams = [
    ...PGlite.defaultStartParams.filter((param) => param !== "-F"),
    ...["-c", "fsync=on", "-c", "wal_sync_method=fsync"],
  ];
  #hasFlushed = false;
  #panic = "";

  override async init(
    ...[pglite, options]: Parameters<NodeFS["init"]>
  ): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pglite, options);
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [
          ...(emscriptenOpts.preRun ?? []),
          (module: unknown) => this.#addFsync(module as Emscripten),
        ],
        printErr: (line: string) => {
          if (line.includes("PANIC")) this.#panic ||= line;
          emscriptenOpts.printErr?.(line);
        },
        onAbort: () => this.#crash(),
      },
    };
  }

  #addFsync({ FS }: Emscripten): void {
    const { NODEFS } = FS.filesystems;
    if (!NODEFS?.stream_ops) return;
    NODEFS.stream_ops.fsync = ({ node, nfd }) => {
      try {
        if (nfd === undefined) flushDirectory(NODEFS.realPath(node));
        else fsyncSync(nfd);
      } catch {
        throw new FS.ErrnoError(WASI_EIO);
      }
      this.#hasFlushed = true;
      return 0;
    };
  }

  /**
   * Flushes the whole database directory. PGlite flushes neither the files of a new database nor
   * those of a start with `-F`.
   * @throws Error with code `NOT_FLUSHED` if PostgreSQL does not reach `fsync`. It flushes
   *   `pg_control` at each start.
   */
  async flushAll(): Promise<void> {
    if (!this.#hasFlushed) {
      const error = new Error("This version of PGlite does not flush its files to disk (0029).");
      throw Object.assign(error, { code: "NOT_FLUSHED" });
    }
    await flushTree(this.rootDir);
  }

  /**
   * Ends the process with an uncaught error, as PostgreSQL ends on a panic. The microtask runs
   * before any answer is sent and before the next statement, which would never return.
   */
  #crash(): void {
    queueMicrotask(() => {
      throw new Error(`The embedded database stopped, and the hub with it. ${this.#panic}`);
    });
  }
}

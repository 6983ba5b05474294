import { fsyncSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { CrashingNodeFs } from "./crashing-node-fs.ts";
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
export class FlushingNodeFs extends CrashingNodeFs {
  /** PGlite's parameters, but with flushing, and not by `fdatasync`, which does nothing here. */
  static readonly startParams = [
    ...PGlite.defaultStartParams.filter((param) => param !== "-F"),
    ...["-c", "fsync=on", "-c", "wal_sync_method=fsync"],
  ];
  #hasFlushed = false;

  override async init(
    ...[pglite, options]: Parameters<CrashingNodeFs["init"]>
  ): ReturnType<CrashingNodeFs["init"]> {
    const { emscriptenOpts } = await super.init(pglite, options);
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [
          ...(emscriptenOpts.preRun ?? []),
          (module: unknown) => this.#addFsync(module as Emscripten),
        ],
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
}

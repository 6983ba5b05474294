import { NodeFS } from "@electric-sql/pglite/nodefs";

/**
 * PGlite's Node file system, which ends the process when PostgreSQL panics (0029). PGlite survives a
 * panic, and its next statement never returns.
 */
export class CrashingNodeFs extends NodeFS {
  #panic = "";

  override async init(
    ...[pglite, options]: Parameters<NodeFS["init"]>
  ): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pglite, options);
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        printErr: (line: string) => {
          if (line.includes("PANIC")) this.#panic ||= line;
          emscriptenOpts.printErr?.(line);
        },
        onAbort: () => this.#crash(),
      },
    };
  }

  /**
   * Ends the process with an uncaught error, as PostgreSQL ends on a panic. The microtask runs
   * before any answer is sent and before the next statement.
   */
  #crash(): void {
    queueMicrotask(() => {
      throw new Error(`The embedded database stopped, and the hub with it. ${this.#panic}`);
    });
  }
}

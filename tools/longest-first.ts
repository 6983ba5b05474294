import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that wait for leases, start servers or drive a browser. Each file takes 10 s to 90 s. */
const LONG = /\.deep\.test\.ts$|^apps\/.*\.test\.ts$|backup|access-matrix/;

/**
 * Starts the long test files first, so that no worker runs one alone at the end. Vitest would start
 * the largest files first, but a test's length says little about its duration.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root;
    const { long = [], short = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      LONG.test(path.relative(root, moduleId)) ? "long" : "short",
    );
    return [...long, ...short];
  }
}

import { totalmem } from "node:os";

/** Returns the bytes of memory that this process may use: of its cgroup, or of the machine. */
export const memoryLimit = (): number =>
  Math.min(process.constrainedMemory() || Infinity, totalmem());

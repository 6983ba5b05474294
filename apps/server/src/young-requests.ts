import { setFlagsFromString } from "node:v8";

/**
 * Lets V8 make all objects in its young memory. By default it makes those of an object literal in
 * the old one once many of them have outlived a collection, as a call's do while the server is busy.
 * From then on each of them keeps its whole request from being collected: a poll of a live room cost
 * a fifth more, and 12 MB were copied each 300 ms (bench/README.md, "Why it is fast"). Nothing in a
 * test shows it; `pnpm bench rooms B10` does. A V8 that knows no such flag says so, and goes on.
 */
export function keepRequestsYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

import { setFlagsFromString } from "node:v8";

/**
 * Lets V8 make what object literals stand for in its young memory, always. By default it makes those
 * of one literal in the old one once many have outlived a collection, as a call's do on a busy server.
 * From then on each of them keeps its whole request from being collected: a poll of a live room cost
 * a fifth more, and 12 MB were copied each 300 ms (bench/README.md, "Why it is fast"). Nothing in a
 * test shows it; `pnpm bench rooms B10` does. A V8 that knows no such flag says so, and goes on.
 */
export function keepRequestsYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}

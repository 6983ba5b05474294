import path from "node:path";
import * as testing from "@soul-hub/api/testing";

/** Starts apps/server in a process of its own. */
export const startServerProcess = (env: Record<string, string>, under?: string[]) =>
  testing.startServerProcess(path.join(import.meta.dirname, "../main.ts"), env, under);

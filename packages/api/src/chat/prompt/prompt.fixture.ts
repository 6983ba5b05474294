import { createVault } from "../../vault.ts";
import type { DelimiterKey } from "../models/prompt-delimiters.ts";

/** The key of the prompts that a test builds itself: that of one room of one hub. */
export const delimiterKey = (scope = "1/room", secret = 1): DelimiterKey => ({
  vault: createVault([{ id: "k1", key: new Uint8Array(32).fill(secret) }]),
  scope,
});

/** Returns the number in the delimiter lines of a prompt. */
export const numberIn = (instructions: string | undefined): string =>
  /^----- BEGIN SOUL (\d+) -----$/m.exec(instructions ?? "")?.[1] ?? "";

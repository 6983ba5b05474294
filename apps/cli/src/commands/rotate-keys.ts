import { alignedRows, REFUSED } from "@soul-hub/program";
import type { HubCommand } from "../report.ts";

/**
 * Re-encrypts all stored secrets with the first master key. The exit code is 1 if a secret cannot
 * be decrypted, because then an old master key is still needed.
 */
export const rotateKeys: HubCommand = async (hub) => {
  const answer = await hub.masterKeys.rotate.mutate({});
  const unreadable: Record<string, number> = answer.unreadable;
  const rows = Object.entries(answer.rewrapped).map(([kind, count]) => [
    kind.replaceAll("_", " "),
    count,
    unreadable[kind] ?? 0,
  ]);
  const lines = alignedRows(["", "re-encrypted", "unreadable"], rows);
  return {
    json: answer,
    lines: [...lines, "", answer.message],
    exitCode: Object.values(unreadable).some((count) => count > 0) ? REFUSED : 0,
  };
};

import { alignedTable, type Column } from "../aligned-table.ts";
import { REFUSED } from "../command-failure.ts";
import type { HubCommand } from "../report.ts";

const columns: Column[] = [
  { title: "" },
  { title: "re-encrypted", align: "right" },
  { title: "unreadable", align: "right" },
];

/**
 * Re-encrypts all stored secrets with the first master key. The exit code is 1 if a secret cannot
 * be decrypted, because then an old master key is still needed.
 */
export const rotateKeys: HubCommand = async (hub) => {
  const answer = await hub.masterKeys.rotate.mutate({});
  const unreadable: Record<string, number> = answer.unreadable;
  const rows = Object.entries(answer.rewrapped).map(([kind, count]) => [
    kind.replaceAll("_", " "),
    String(count),
    String(unreadable[kind] ?? 0),
  ]);
  return {
    json: answer,
    text: `${alignedTable(columns, rows)}\n\n${answer.message}`,
    exitCode: Object.values(unreadable).some((count) => count > 0) ? REFUSED : 0,
  };
};

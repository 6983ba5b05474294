import { alignedTable } from "../aligned-table.ts";
import { REFUSED } from "../command-failure.ts";
import type { HubCommand } from "../report.ts";

const columns = [
  { title: "" },
  { title: "sealed anew", align: "right" as const },
  { title: "unreadable", align: "right" as const },
];

/** Ends with a failure where a secret could not be opened: the old key is still needed. */
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

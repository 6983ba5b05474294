import { NativeSelect } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { HistoryEntry } from "../../soul-history.ts";

interface ComparisonSelectProps {
  soulId: number;
  entries: readonly HistoryEntry[];
  /** The number of the version that the page shows. */
  shown: number;
  /** The number of the version with which it is compared; 0 for the whole text. */
  with: number;
}

/** Selects the version with which the shown one is compared. The choice is part of the URL. */
export function ComparisonSelect({ soulId, entries, shown, with: other }: ComparisonSelectProps) {
  const navigate = useNavigate();
  const choices = entries
    .filter(({ number }) => number !== shown)
    .map(({ number, when }) => ({
      value: `${number}`,
      label: `Changes ${number < shown ? "since" : "up to"} v${number}, ${when}`,
    }));
  const isListed = other === 0 || choices.some(({ value }) => value === `${other}`);
  return (
    <NativeSelect
      label="Show"
      className="comparison-select"
      value={`${other}`}
      data={[
        ...(isListed ? [] : [{ value: `${other}`, label: `Changes since v${other}` }]),
        ...choices,
        { value: "0", label: "The whole text" },
      ]}
      onChange={({ currentTarget }) =>
        void navigate({
          to: "/soul/$id/history",
          params: { id: soulId },
          search: { version: shown, with: Number(currentTarget.value) },
          resetScroll: false,
        })
      }
    />
  );
}

import { NativeSelect } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { Revision } from "../../revisions.ts";

interface RevisionSelectProps {
  soulId: number;
  states: readonly Revision[];
  from: Revision;
  to: Revision;
}

/** Selects two versions to compare; the choice is part of the URL. */
export function RevisionSelect({ soulId, states, from, to }: RevisionSelectProps) {
  const navigate = useNavigate();
  const data = states.map(({ id, name, when }) => ({ value: `${id}`, label: `${name}, ${when}` }));
  const compare = (chosen: { from?: number; to?: number }) =>
    void navigate({
      to: "/soul/$id/history",
      params: { id: soulId },
      search: { from: from.id, to: to.id, ...chosen },
      resetScroll: false,
    });
  return (
    <div className="revision-select">
      <NativeSelect
        label="Before"
        value={`${from.id}`}
        data={data}
        onChange={({ currentTarget }) => compare({ from: Number(currentTarget.value) })}
      />
      <NativeSelect
        label="After"
        value={`${to.id}`}
        data={data}
        onChange={({ currentTarget }) => compare({ to: Number(currentTarget.value) })}
      />
    </div>
  );
}

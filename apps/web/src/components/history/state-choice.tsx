import { NativeSelect } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { SoulState } from "../../soul-states.ts";

interface StateChoiceProps {
  soulId: number;
  states: readonly SoulState[];
  from: SoulState;
  to: SoulState;
}

/** Any two states, at an address that can be shared. */
export function StateChoice({ soulId, states, from, to }: StateChoiceProps) {
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
    <div className="state-choice">
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

import { VisuallyHidden } from "@mantine/core";

interface SiblingSwitchProps {
  id: number;
  siblings: readonly number[];
  onLook: (id: number) => void;
}

/** Shows the other branches at a message: ‹ 2/3 ›. */
export function SiblingSwitch({ id, siblings, onLook }: SiblingSwitchProps) {
  const at = siblings.indexOf(id);
  const step = (by: 1 | -1, label: string, sign: string) => {
    const to = siblings[at + by];
    return (
      <button
        type="button"
        className="plain-button line__switch"
        aria-label={label}
        title={label}
        // A disabled button would lose the focus at the last branch.
        aria-disabled={to === undefined}
        onClick={() => to !== undefined && onLook(to)}
      >
        {sign}
      </button>
    );
  };
  return (
    <fieldset className="row line__siblings" aria-label="Branches">
      {step(-1, "Earlier branch", "‹")}
      <span aria-hidden="true">
        {at + 1}/{siblings.length}
      </span>
      <VisuallyHidden aria-live="polite">
        {at + 1} of {siblings.length}
      </VisuallyHidden>
      {step(1, "Later branch", "›")}
    </fieldset>
  );
}

import { useId } from "react";
import type { MiniApp } from "../../queries.ts";
import { Sigil } from "../ui/sigil.tsx";

interface SoulChoiceProps {
  souls: MiniApp["souls"];
  chosen: number;
  onChoose: (id: number) => void;
}

/** A radio group of the souls that match a mini app, the most liked first. */
export function SoulChoice({ souls, chosen, onChoose }: SoulChoiceProps) {
  const name = useId();
  return (
    <fieldset>
      <legend className="heading">Choose a soul</legend>
      <div className="soul-grid scrolled">
        {souls.map(({ id, title, description }) => (
          <label key={id} className="item item--choice item--framed">
            <input
              className="hidden-input"
              type="radio"
              name={name}
              checked={id === chosen}
              onChange={() => onChoose(id)}
            />
            <Sigil id={id} size={40} />
            <span className="item__words">
              <span dir="auto">{title}</span>
              <small className="clamp" dir="auto">
                {description}
              </small>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

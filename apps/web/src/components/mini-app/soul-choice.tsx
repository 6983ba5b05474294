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
    <fieldset className="soul-choice">
      <legend>Choose a soul</legend>
      <div className="soul-choice__list">
        {souls.map(({ id, title, description }) => (
          <label key={id} className="soul-choice__one">
            <input type="radio" name={name} checked={id === chosen} onChange={() => onChoose(id)} />
            <Sigil id={id} size={40} />
            <span>
              <strong dir="auto">{title}</strong>
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

import { useId } from "react";
import type { MiniApp } from "../../queries.ts";
import { Sigil } from "../sigil.tsx";

interface SoulChoiceProps {
  souls: MiniApp["souls"];
  chosen: number;
  onChoose: (id: number) => void;
}

/** Who should answer: the souls that fit, the most liked first. */
export function SoulChoice({ souls, chosen, onChoose }: SoulChoiceProps) {
  const name = useId();
  return (
    <fieldset className="soul-choice">
      <legend>Who should answer</legend>
      <div className="soul-choice__list">
        {souls.map(({ id, title, description }) => (
          <label key={id} className="soul-choice__one">
            <input type="radio" name={name} checked={id === chosen} onChange={() => onChoose(id)} />
            <Sigil id={id} size={40} />
            <span>
              <strong>{title}</strong>
              <small>{description}</small>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

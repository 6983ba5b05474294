import { useQuery } from "@tanstack/react-query";
import { similarTo } from "../../queries.ts";
import { SoulGrid } from "./soul-card.tsx";

/** Souls of the nearest meaning. Without one, or without an answer, nothing is shown. */
export function SimilarSouls({ id }: { id: number }) {
  const { data: souls = [] } = useQuery(similarTo(id));
  if (souls.length === 0) return null;
  return (
    <section className="stack soul__similar" aria-labelledby="similar">
      <h2 id="similar">Similar souls</h2>
      <SoulGrid souls={souls} />
    </section>
  );
}

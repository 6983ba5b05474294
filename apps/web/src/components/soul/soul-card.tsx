import "./soul-card.css";
import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { shortCount } from "../../counts.ts";
import { categoryList, type SoulListEntry } from "../../queries.ts";
import { ForkIcon, HeartIcon, StarIcon } from "../icons.tsx";
import { Sigil } from "../ui/sigil.tsx";
import { AuthorLink } from "./author-link.tsx";
import { TalkButton } from "./talk-button.tsx";

interface SoulCardProps {
  soul: SoulListEntry;
  /** Text shown after the author's name, e.g. "private". */
  note?: ReactNode;
  /** Buttons beside the talk button. */
  actions?: ReactNode;
}

function SoulCard({ soul, note, actions }: SoulCardProps) {
  const category = useCategory(soul.role);
  const { id, title, description, username } = soul;
  return (
    <article className="panel soul-card">
      <header className="item">
        <Sigil id={id} size={54} />
        <div className="item__words">
          <h2 className="soul-card__title clamp" dir="auto">
            <Link to="/soul/$id" params={{ id }} className="soul-card__link">
              {title}
            </Link>
          </h2>
          <small className="one-line">
            by <AuthorLink username={username} />
            {category && ` · ${category}`}
            {note}
          </small>
        </div>
      </header>
      {description.trim() ? (
        <p className="muted clamp soul-card__about" dir="auto">
          {description}
        </p>
      ) : (
        <p className="small soul-card__about">No description yet.</p>
      )}
      <footer className="row soul-card__foot">
        <SoulFacts soul={soul} />
        <div className="row">
          {actions}
          <TalkButton size="sm" variant="light" soulId={id} soulTitle={title} />
        </div>
      </footer>
    </article>
  );
}

interface SoulGridProps<Entry> {
  souls: readonly Entry[];
  /** The further props of a soul's card. */
  card?: (soul: Entry) => Omit<SoulCardProps, "soul">;
}

export const SoulGrid = <Entry extends SoulListEntry>({ souls, card }: SoulGridProps<Entry>) => (
  <ul className="soul-grid">
    {souls.map((soul) => (
      <li key={soul.id}>
        <SoulCard soul={soul} {...card?.(soul)} />
      </li>
    ))}
  </ul>
);

/** The icon and name of a category, e.g. "💻 Software Engineering"; empty for "Other". */
export function useCategory(role: string): string {
  const { data: categories } = useQuery(categoryList);
  const category = categories?.find(({ slug }) => slug === role);
  return category ? `${category.icon} ${category.name}` : "";
}

/** What distinguishes a soul. Zeros and "any model" are left out; a new soul has no facts at all. */
function SoulFacts({ soul }: { soul: SoulListEntry }) {
  const { like_count, fork_count, total_ratings, avg_rating, compatibility } = soul;
  const isForAnyModel = /^any$/i.test(compatibility.trim());
  if (like_count + fork_count + total_ratings === 0 && isForAnyModel) return null;
  return (
    <ul className="row small soul-facts">
      <Fact icon={<HeartIcon size={16} />} count={like_count} noun="like" />
      <Fact icon={<ForkIcon size={16} />} count={fork_count} noun="fork" />
      {total_ratings > 0 && (
        <li title={`Rated ${avg_rating.toFixed(1)} of 5, ${total_ratings} times`}>
          <StarIcon size={16} /> {avg_rating.toFixed(1)}
        </li>
      )}
      {!isForAnyModel && (
        <li title="Made for this model">
          <VisuallyHidden>Made for </VisuallyHidden>
          {compatibility}
        </li>
      )}
    </ul>
  );
}

function Fact({ icon, count, noun }: { icon: ReactNode; count: number; noun: string }) {
  if (count === 0) return null;
  const label = count === 1 ? noun : `${noun}s`;
  return (
    <li title={`${count} ${label}`}>
      {icon} {shortCount(count)}
      <VisuallyHidden>{label}</VisuallyHidden>
    </li>
  );
}

import "./category-chips.css";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { categoryList } from "../queries.ts";

/** Links, since each choice is an address. */
export function CategoryChips({ chosen }: { chosen: string }) {
  const { data: categories } = useQuery(categoryList);
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    // "Everything" stands first, and looking for it would lay out the page in the midst of drawing.
    if (!chosen) return;
    // On a phone the row is longer than the window, and the choice may stand outside of it.
    const chip = categories && row.current?.querySelector(`[data-slug="${CSS.escape(chosen)}"]`);
    chip?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [chosen, categories]);
  return (
    <nav ref={row} className="category-chips" aria-label="Categories">
      <Chip slug="" chosen={chosen === ""} label="Everything" />
      {categories?.map(({ slug, name, icon }) => (
        <Chip key={slug} slug={slug} icon={icon} label={name} chosen={chosen === slug} />
      ))}
      {!categories &&
        [130, 110, 150, 120, 140].map((width) => (
          <Skeleton key={width} height={36} width={width} radius="xl" style={{ flexShrink: 0 }} />
        ))}
    </nav>
  );
}

interface ChipProps {
  /** Empty for all of them. */
  slug: string;
  label: string;
  icon?: string;
  chosen: boolean;
}

function Chip({ slug, label, icon, chosen }: ChipProps) {
  return (
    <Link
      to="/"
      search={({ role: _, ...rest }) => (slug && !chosen ? { ...rest, role: slug } : rest)}
      resetScroll={false}
      className="category-chip"
      data-slug={slug}
      data-chosen={chosen}
      aria-current={chosen ? "true" : undefined}
    >
      {icon && <span aria-hidden="true">{icon}</span>}
      {label}
    </Link>
  );
}

import "./category-chips.css";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { categoryList } from "../../queries.ts";

/** A row of links, each to the list of one category's souls. */
export function CategoryChips({ chosen }: { chosen: string }) {
  const { data: categories } = useQuery(categoryList);
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    // Without a chosen category, the first chip is the current one and needs no scrolling.
    // Scrolling to it would force a layout.
    if (!chosen) return;
    // On a phone the row of categories scrolls, and the chosen category may be out of view.
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
  /** The slug of a category; empty for the chip "Everything". */
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
      className="chip"
      data-slug={slug}
      data-chosen={chosen}
      aria-current={chosen ? "true" : undefined}
    >
      {icon && <span aria-hidden="true">{icon}</span>}
      {label}
    </Link>
  );
}

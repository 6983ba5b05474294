import "./soul-card.css";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { categoryList } from "../../queries.ts";

interface CategoryChipsProps {
  /** The page whose list the chips narrow: souls or mini apps. */
  page: "/" | "/apps";
  chosen: string;
  /** The slugs of the shown categories; all by default. */
  slugs?: ReadonlySet<string> | undefined;
}

/** A row of links, each to the part of the page's list that belongs to one category. */
export function CategoryChips({ page, chosen, slugs }: CategoryChipsProps) {
  const { data } = useQuery(categoryList);
  const categories = data?.filter(({ slug }) => slugs?.has(slug) ?? true);
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    // Without a chosen category, the first chip is the current one and needs no scrolling.
    // Scrolling to it would force a layout.
    if (!chosen) return;
    // On a phone the row of categories scrolls, and the chosen category may be out of view.
    const chip = data && row.current?.querySelector(`[data-slug="${CSS.escape(chosen)}"]`);
    chip?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [chosen, data]);
  return (
    <nav ref={row} className="category-chips" aria-label="Categories">
      <Chip page={page} slug="" chosen={chosen === ""} label="Everything" />
      {categories?.map(({ slug, name, icon }) => (
        <Chip
          key={slug}
          page={page}
          slug={slug}
          icon={icon}
          label={name}
          chosen={chosen === slug}
        />
      ))}
      {!categories &&
        [130, 110, 150, 120, 140].map((width) => (
          <Skeleton key={width} height={36} width={width} radius="xl" style={{ flexShrink: 0 }} />
        ))}
    </nav>
  );
}

interface ChipProps extends Pick<CategoryChipsProps, "page"> {
  /** The slug of a category; empty for the chip "Everything". */
  slug: string;
  label: string;
  icon?: string;
  chosen: boolean;
}

function Chip({ page, slug, label, icon, chosen }: ChipProps) {
  const wanted = slug && !chosen ? slug : undefined;
  const shared = {
    resetScroll: false,
    className: "chip",
    "data-slug": slug,
    "data-chosen": chosen,
    "aria-current": chosen ? ("true" as const) : undefined,
  };
  const words = (
    <>
      {icon && <span aria-hidden="true">{icon}</span>}
      {label}
    </>
  );
  if (page === "/apps") {
    return (
      <Link {...shared} to="/apps" search={(before) => ({ ...before, category: wanted })}>
        {words}
      </Link>
    );
  }
  return (
    <Link {...shared} to="/" search={(before) => ({ ...before, role: wanted, match: undefined })}>
      {words}
    </Link>
  );
}

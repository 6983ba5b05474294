import { DownloadIcon } from "../icons.tsx";
import { exportGroups } from "./export-formats.ts";

interface ExportLinksProps {
  soulId: number;
  /** The id of a former version; null for the present state. */
  versionId: number | null;
  /** The level of the groups' headings. */
  level: 3 | 4;
}

/**
 * Offers a soul in every format. Each choice is a link, so the browser saves the file itself, with
 * the reader's session.
 */
export function ExportLinks({ soulId, versionId, level }: ExportLinksProps) {
  const Heading = `h${level}` as const;
  const version = versionId === null ? "" : `&version_id=${versionId}`;
  return (
    <div className="columns">
      {exportGroups.map(({ heading, formats }) => (
        <section key={heading} aria-label={heading}>
          <Heading className="subheading">{heading}</Heading>
          <ul className="stack stack--close">
            {formats.map(({ format, name, about }) => (
              <li key={format}>
                <a
                  className="item item--choice item--framed"
                  href={`/api/soul/${soulId}/export?format=${format}${version}`}
                  download
                >
                  <DownloadIcon size={18} />
                  <span className="item__words">
                    {name}
                    <small>{about}</small>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Advice about the files for the reader. */
export const exportNote = (hasPackage: boolean): string =>
  hasPackage
    ? "This soul was imported. The package and its own card format also hold what the import brought along."
    : "The package and the cards can be imported again without loss.";

import "./exchange.css";
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
    <div className="exchange__groups">
      {exportGroups.map(({ heading, formats }) => (
        <section key={heading} aria-label={heading}>
          <Heading className="exchange__heading">{heading}</Heading>
          <ul className="exchange__list">
            {formats.map(({ format, name, about }) => (
              <li key={format}>
                <a
                  className="exchange__choice"
                  href={`/api/soul/${soulId}/export?format=${format}${version}`}
                  download
                >
                  <DownloadIcon size={18} />
                  <span>
                    <strong>{name}</strong>
                    <span className="muted">{about}</span>
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

import { DownloadIcon } from "../icons.tsx";
import { exportGroups } from "./export-formats.ts";

export interface ExportedVersion {
  soul_id: number;
  number: number;
  /** Null for the present version. */
  id: number | null;
  has_package: boolean;
}

/**
 * Offers one version of a soul in every format. Each choice is a link, so the browser saves the file
 * itself, with the reader's session.
 */
export function AsFile({ version: { soul_id, id, has_package } }: { version: ExportedVersion }) {
  const version = id === null ? "" : `&version_id=${id}`;
  return (
    <>
      <div className="columns">
        {exportGroups.map(({ heading, formats }) => (
          <section key={heading} aria-label={heading}>
            <h3 className="subheading">{heading}</h3>
            <ul className="stack stack--tight">
              {formats.map(({ format, name, about }) => (
                <li key={format}>
                  <a
                    className="item item--choice"
                    href={`/api/soul/${soul_id}/export?format=${format}${version}`}
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
      <p className="muted">
        {has_package
          ? "This soul was imported. The package and its own card format also hold what the import brought along."
          : "The package and the cards can be imported again without loss."}
      </p>
    </>
  );
}

import { fullTime, shortTime } from "../../../clock.ts";
import type { ModCase } from "../../../queries.ts";

/** The sealed text of a case, as it was when it was reported. It is never rendered as Markdown. */
export function CaseExcerpt({ shown }: { shown: ModCase }) {
  const { excerpt, earlier_excerpts, target, kind } = shown;
  if (kind === "person") return null;
  return (
    <section className="panel stack stack--close" aria-labelledby="case-text">
      <h3 id="case-text">What was reported</h3>
      {excerpt ? (
        <Excerpt excerpt={excerpt} reported={target.message_id} />
      ) : (
        <p className="muted">
          There is no text. It was deleted when the time to appeal had ended, or nobody has reported
          this private soul.
        </p>
      )}
      {earlier_excerpts.map((earlier) => (
        <details key={earlier.id}>
          <summary>As it was on {fullTime(earlier.sealed_at)}</summary>
          <Excerpt excerpt={earlier} reported={target.message_id} />
        </details>
      ))}
    </section>
  );
}

interface ExcerptProps {
  excerpt: NonNullable<ModCase["excerpt"]>;
  /** The id of the reported message. */
  reported: number | null;
}

function Excerpt({ excerpt, reported }: ExcerptProps) {
  const { title, description, content, version, lines } = excerpt;
  return (
    <div className="stack stack--close">
      {title && (
        <p>
          <strong>
            <bdi>{title}</bdi>
          </strong>{" "}
          {version !== undefined && <span className="muted">v{version}</span>}
        </p>
      )}
      {description && <p dir="auto">{description}</p>}
      {content && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container must be reachable by keyboard.
        <pre className="long-text scrolled" tabIndex={0} dir="auto">
          {content}
        </pre>
      )}
      {lines && (
        <ol className="stack admin__lines">
          {lines.map((line) => (
            <li
              key={line.id}
              className="stack stack--tight quote long-text"
              data-reported={line.id === reported}
            >
              <span className="muted">
                <bdi>{line.sender_name}</bdi>
                {line.edited_by ? (
                  <>
                    , rewritten by <bdi>{line.edited_by}</bdi>
                  </>
                ) : (
                  line.edited_at && ", edited"
                )}
                {line.audience && ", off the record"}
                {line.other_branch && ", on another branch"}, {shortTime(line.created_at)}
                {line.id === reported && <strong> reported</strong>}
              </span>
              <span dir="auto">{line.content}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

import "./exchange.css";

interface NotesProps {
  heading: string;
  notes: ReadonlyArray<{ path: string; message: string }>;
}

/** Lists the hub's notes about the parts of a file. */
export function Notes({ heading, notes }: NotesProps) {
  if (notes.length === 0) return null;
  return (
    <section aria-label={heading}>
      <h3 className="subheading">{heading}</h3>
      <ul className="long-text exchange__files">
        {notes.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <bdi>{path || "The file"}</bdi> {message}.
          </li>
        ))}
      </ul>
    </section>
  );
}

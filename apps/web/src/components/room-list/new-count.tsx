import "./new-count.css";

/** The hub counts up to this number. */
const MOST = 99;

interface NewCountProps {
  count: number;
  /** The counted things, for screen readers. */
  what: string;
}

/** A number in a circle; nothing for 0. */
export function NewCount({ count, what }: NewCountProps) {
  if (count === 0) return null;
  const number = count >= MOST ? `${MOST}+` : String(count);
  return (
    <span className="new-count" role="img" aria-label={`${number} ${what}`}>
      {number}
    </span>
  );
}

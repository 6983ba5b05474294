/** A revision of a room and the one before it. They are equal if nothing changed. */
export interface RevisionStep {
  revision: number;
  prev_revision: number;
}

/** A step whose start may be unknown (null). Each server then reads the change from the log. */
export interface StoredStep {
  revision: number;
  prev_revision: number | null;
}

/** A revision of a room and the one before it. They are equal if nothing changed. */
export interface RevisionStep {
  revision: number;
  prev_revision: number;
}

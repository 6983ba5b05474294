/** A dialog of the room. At most one is open. */
export type RoomDialog =
  | "memory"
  | "changes"
  | "title"
  | "invite"
  | "share"
  | "export"
  | "guest-name"
  | "report";

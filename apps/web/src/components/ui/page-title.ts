import { useDocumentTitle } from "@mantine/hooks";
import { useNewRooms } from "./open-room.ts";

/**
 * Sets the title of the document. The title begins with the number of rooms with something new.
 * @param more the number that the open room adds
 */
export function usePageTitle(title: string, more = 0): void {
  const count = useNewRooms() + more;
  useDocumentTitle(count > 0 ? `(${count}) ${title}` : title);
}

import { useDocumentTitle } from "@mantine/hooks";
import { useNewRooms } from "./open-room.ts";

/**
 * Sets the title of the document. In front stands the number of rooms with something new.
 * @param more what the open room adds to the number
 */
export function usePageTitle(title: string, more = 0): void {
  const count = useNewRooms() + more;
  useDocumentTitle(count > 0 ? `(${count}) ${title}` : title);
}

import { Drawer } from "@mantine/core";
import { useRoomContext } from "../room-context.ts";
import { RoomSide } from "./room-side.tsx";

/** The side panel as a drawer, for screens that are too narrow to show it beside the room. */
export function PeopleDrawer() {
  const { panel, dialog } = useRoomContext();
  return (
    <Drawer
      opened
      onClose={panel.drawer.close}
      position="right"
      title="This room"
      size="20rem"
      // With a dialog over the drawer, the Escape key closes the dialog only.
      closeOnEscape={dialog === undefined}
      closeButtonProps={{ "aria-label": "Close" }}
      // Outside of <main>, the drawer's <header> would be a second banner landmark.
      attributes={{ header: { role: "presentation" } }}
    >
      <RoomSide />
    </Drawer>
  );
}

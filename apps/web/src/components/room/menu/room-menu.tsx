import { ActionIcon } from "@mantine/core";
import { useState } from "react";
import { MoreIcon } from "../../icons.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { useRoomContext } from "../room-context.ts";

const loadItems = () => import("./menu-items.tsx");
const MenuItems = lazyPart(loadItems, "MenuItems");

/**
 * The button of the room's menu. The menu's code is large, so it loads only when the pointer reaches
 * the button or the button is clicked.
 */
export function RoomMenu() {
  const { menuButton } = useRoomContext();
  const [isOpened, setIsOpened] = useState(false);
  const button = (
    <ActionIcon
      ref={menuButton}
      size={40}
      radius="xl"
      aria-label="Room menu"
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void loadItems().catch(() => {})}
      onClick={() => setIsOpened(true)}
    >
      <MoreIcon />
    </ActionIcon>
  );
  return isOpened ? <MenuItems fallback={button} /> : button;
}

import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";

/** A part of the panel that is closed until the reader opens it. */
export type PanelPart = "memory" | "version" | "rights" | "quota";

/** Narrower windows hide the panel (room.css). A drawer shows it then. */
export const HAS_ASIDE = "(min-width: 62.01em)";

/** The open parts of the room's panel, and whether its drawer is open. */
export function usePanel() {
  const [open, setOpen] = useState<ReadonlySet<PanelPart>>(new Set());
  const [isDrawerOpen, drawer] = useDisclosure();
  const toggle = (part: PanelPart, isOpen: boolean) => {
    if (isOpen === open.has(part)) return;
    setOpen(new Set(isOpen ? [...open, part] : [...open].filter((one) => one !== part)));
  };
  return {
    open,
    toggle,
    isDrawerOpen,
    drawer,
    /** Opens a part, with the drawer where the window needs it. */
    show(part: PanelPart) {
      toggle(part, true);
      if (!matchMedia(HAS_ASIDE).matches) drawer.open();
      setTimeout(() => {
        document.querySelector<HTMLElement>(`[data-part="${part}"] summary`)?.focus();
      });
    },
  };
}

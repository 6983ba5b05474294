import { ActionIcon, type ActionIconProps } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { MoreIcon } from "../icons.tsx";
import type { Entries } from "./entries.ts";
import { lazyPart } from "./lazy-part.tsx";

/** Loads the menu's code, which is large, before the click. */
export const loadMoreMenu = () => void loadMenu().catch(() => {});
const loadMenu = () => import("./more-menu.tsx");
export const MoreMenu = lazyPart(loadMenu, "MoreMenu");

interface MoreProps extends ActionIconProps {
  /** The accessible name of the button and of its menu. */
  label: string;
  entries: () => Entries;
  /** Shown in place of the three dots. */
  children?: ReactNode;
}

/** The button of a menu with the further actions of a page, a row or a form. */
export function More({ label, entries, children = <MoreIcon />, ...shown }: MoreProps) {
  const [isOpened, setIsOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <ActionIcon
        ref={button}
        type="button"
        size={40}
        radius="xl"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpened}
        onPointerEnter={loadMoreMenu}
        onClick={() => setIsOpened(!isOpened)}
        {...shown}
      >
        {children}
      </ActionIcon>
      {isOpened && button.current && (
        <MoreMenu
          label={label}
          entries={entries()}
          opener={button.current}
          onClose={() => setIsOpened(false)}
        />
      )}
    </>
  );
}

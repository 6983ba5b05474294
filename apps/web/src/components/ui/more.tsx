import { ActionIcon, type ActionIconProps } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { MoreIcon } from "../icons.tsx";
import type { Entries } from "./entries.ts";
import { lazyPart } from "./lazy-part.tsx";

/** Loads the menu's code, which is large, before the click. */
export const preloadMoreMenu = () => void loadMoreMenu().catch(() => {});
export const loadMoreMenu = () => import("./more-menu.tsx");
export const MoreMenu = lazyPart(loadMoreMenu, "MoreMenu");

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
  const toggle = () => {
    if (isOpened) return setIsOpened(false);
    // Without a connection the code can't be loaded. A render that needs it would fail.
    loadMoreMenu().then(
      () => setIsOpened(true),
      () => {},
    );
  };
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
        onPointerEnter={preloadMoreMenu}
        onClick={toggle}
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

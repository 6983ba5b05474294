import "./more-menu.css";
import { Drawer, Menu, type MenuItemProps, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { createLink, Link } from "@tanstack/react-router";
import { Fragment, type KeyboardEvent, type Ref, useLayoutEffect } from "react";
import { type Entries, type Entry, offered } from "./entries.ts";

interface MoreMenuProps {
  label: string;
  entries: Entries;
  /** Short entries, side by side above the others. */
  quick?: Entries | undefined;
  /** The button beside which the menu opens, and which gets the focus back. */
  opener: HTMLElement;
  /** The side of the button at which the menu opens. */
  position?: "bottom-start" | "bottom-end";
  onClose: () => void;
}

/** A phone shows the entries as a sheet at the bottom, where a thumb reaches them. */
const IS_PHONE = "(pointer: coarse) and (max-width: 40em)";

/** The open menu of a `More` button. */
export function MoreMenu({ quick = [], position = "bottom-end", ...menu }: MoreMenuProps) {
  const isPhone = useMediaQuery(IS_PHONE, undefined, { getInitialValueInEffect: false });
  const { label, opener, onClose } = menu;
  const close = () => {
    onClose();
    opener.focus({ preventScroll: true });
  };
  // The opener has the focus before the entry runs. A dialog of the entry gives it back there.
  const choose =
    ({ run }: Entry) =>
    () => {
      close();
      run?.();
    };
  const entries = offered(menu.entries);
  const shown = offered(quick);
  if (isPhone) {
    const line = (entry: Entry) => (
      <li key={entry.name}>
        <SheetEntry entry={entry} onClick={choose(entry)} />
      </li>
    );
    return (
      <Drawer
        opened
        onClose={close}
        position="bottom"
        size="auto"
        classNames={{ content: "more-sheet" }}
        title={label}
        returnFocus={false}
        onKeyDown={stopEscape}
        closeButtonProps={{ "aria-label": "Close", size: 40 }}
        attributes={{ header: { role: "presentation" } }}
      >
        {shown.length > 0 && <ul className="row more__quick">{shown.map(line)}</ul>}
        <ul className="more__sheet">{entries.map(line)}</ul>
      </Drawer>
    );
  }
  return (
    <Menu
      opened
      onClose={onClose}
      position={position}
      width={250}
      returnFocus={false}
      closeOnEscape={false}
      // The key that opens the menu reaches the document after it, and would close it.
      clickOutsideEvents={["mousedown", "touchstart"]}
      // Without a portal, the menu stays in the landmark of its button. Without Mantine's focus
      // placeholder, all children of the menu are menu items, as the ARIA menu pattern asks.
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <Opener element={opener} />
      </Menu.Target>
      <Menu.Dropdown
        className="more"
        aria-label={label}
        // The keys of a menu are not those of the message or form that contains it.
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          close();
        }}
      >
        {shown.length > 0 && (
          <div className="row more__quick" role="none">
            {shown.map((entry) => (
              <Menu.Item key={entry.name} aria-label={entry.keywords} onClick={choose(entry)}>
                {entry.name}
              </Menu.Item>
            ))}
          </div>
        )}
        {entries.map((entry, at) => (
          <Fragment key={entry.name}>
            {(entry.isApart || entry.tone === "bad") && at > 0 && <Menu.Divider />}
            <MenuEntry entry={entry} onClick={choose(entry)} />
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The form or message that contains the menu would take the key, too. Mantine has heard it before. */
function stopEscape(event: KeyboardEvent): void {
  if (event.key === "Escape") event.stopPropagation();
}

/** Gives Mantine's menu a button that is in the page already. */
function Opener({ element, ref }: { element: HTMLElement; ref?: Ref<HTMLElement> }) {
  useLayoutEffect(() => {
    if (typeof ref === "function") ref(element);
    else if (ref) ref.current = element;
  }, [element, ref]);
  return null;
}

interface EntryProps {
  entry: Entry;
  onClick: () => void;
}

const LinkItem = createLink((props: MenuItemProps) => <Menu.Item component="a" {...props} />);

function MenuEntry({ entry, onClick }: EntryProps) {
  const { name, icon: Icon, note, tone, isOn, link } = entry;
  if (!entry.run && !link) return <Menu.Label>{name}</Menu.Label>;
  const item = {
    onClick,
    leftSection: Icon && <Icon size={18} />,
    ...(tone === "bad" && { color: "var(--bad-text)" }),
    children: <Words name={name} note={note} />,
  };
  if (link) return <LinkItem {...item} {...link} />;
  return isOn === undefined ? (
    <Menu.Item {...item} />
  ) : (
    <Menu.CheckboxItem {...item} checked={isOn} />
  );
}

function SheetEntry({ entry, onClick }: EntryProps) {
  const { name, icon: Icon, note, tone, isOn, keywords, link } = entry;
  if (!entry.run && !link) return <p className="small more__sentence">{name}</p>;
  const row = {
    className: "item item--choice more__entry",
    "data-tone": tone,
    onClick,
    children: (
      <>
        {Icon && <Icon />}
        <Words name={name} note={note} />
      </>
    ),
  };
  if (link) return <Link {...row} {...link} />;
  return <UnstyledButton {...row} aria-pressed={isOn} aria-label={Icon ? undefined : keywords} />;
}

const Words = ({ name, note }: { name: string; note: string | undefined }) => (
  <span className="item__words">
    {name}
    {note && <small>{note}</small>}
  </span>
);

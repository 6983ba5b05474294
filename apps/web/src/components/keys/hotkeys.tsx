import { useEffect, useState } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";
import { type Shortcut, shortcutOf } from "./shortcuts.ts";
import { areSingleKeysOn } from "./single-keys.ts";

const loadPalette = () => import("./command-palette.tsx");
const CommandPalette = lazyPart(loadPalette, "CommandPalette");
const KeysDialog = lazyPart(() => import("./keys-dialog.tsx"), "KeysDialog");

/** Listens for the shortcuts of every page. Palette and dialog load on first use. */
export function Hotkeys() {
  const [hasPalette, setHasPalette] = useState(false);
  const [dialog, setDialog] = useState<"unused" | "open" | "closed">("unused");

  useEffect(() => {
    const run = (shortcut: Shortcut) => {
      if (shortcut === "palette") {
        setHasPalette(true);
        void loadPalette().then(({ togglePalette }) => togglePalette());
      } else if (shortcut === "keys") setDialog("open");
      else document.querySelector<HTMLInputElement>(".header__search input")?.select();
    };
    const listen = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event);
      if (!shortcut) return;
      const isOther = shortcut !== "palette";
      // A dialog keeps the focus, and its own keys apply.
      if (isOther && (!areSingleKeysOn() || document.querySelector("[aria-modal=true]"))) return;
      event.preventDefault();
      run(shortcut);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  return (
    <>
      {hasPalette && <CommandPalette onKeys={() => setDialog("open")} />}
      {dialog !== "unused" && (
        <KeysDialog isOpened={dialog === "open"} onClose={() => setDialog("closed")} />
      )}
    </>
  );
}

import { rmSync } from "node:fs";

/** Removes a file or folder at its disposal. Ctrl-C ends the process without one. */
export function temporary(place: string): Disposable {
  const remove = () => rmSync(place, { recursive: true, force: true });
  process.once("exit", remove);
  return {
    [Symbol.dispose]() {
      process.off("exit", remove);
      remove();
    },
  };
}

import type { LinkOptions } from "@tanstack/react-router";
import type { ComponentType } from "react";

/** An entry of a menu. Without `run` and `link` it is a sentence. */
export interface Entry {
  name: string;
  icon?: ComponentType<{ size?: number }>;
  run?: () => void;
  link?: LinkOptions;
  /** Makes the entry a switch. */
  isOn?: boolean;
  /** "bad" for an entry that deletes something. */
  tone?: "bad";
  /** A line divides the entry from those before it. */
  isApart?: boolean;
  /** A smaller second line. */
  note?: string;
  /** Other words by which the command palette finds the entry. */
  keywords?: string;
}

/** The entries of a menu. The value `false` takes the place of an entry that is not offered. */
export type Entries = readonly (Entry | false | undefined)[];

export const offered = (entries: Entries): Entry[] => entries.filter((entry) => !!entry);

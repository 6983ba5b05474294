import { useEffect, useState } from "react";

type MentionRules = typeof import("@soul-hub/soul-names");

let loaded: MentionRules | undefined;

/** Loads the rules of mentions with the first text that contains an `@`. No first load has them. */
export function useMentionRules(text: string): MentionRules | undefined {
  const [rules, setRules] = useState(loaded);
  const isNeeded = /[@＠]/.test(text);
  useEffect(() => {
    if (!isNeeded || rules) return;
    const show = (module: MentionRules) => {
      loaded = module;
      setRules(module);
    };
    // Without a connection, no mention is marked.
    import("@soul-hub/soul-names").then(show, () => {});
  }, [isNeeded, rules]);
  return isNeeded ? rules : undefined;
}

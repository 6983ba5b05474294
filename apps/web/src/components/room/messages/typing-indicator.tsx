import { useBlockedNames } from "../../blocks/use-blocked-names.ts";

export function TypingIndicator({ names }: { names: readonly string[] }) {
  const blocked = useBlockedNames();
  return (
    <p className="one-line small room__typing" role="status">
      {sentence(names.filter((name) => !blocked.has(name)))}
    </p>
  );
}

function sentence([first, second, ...more]: readonly string[]): string {
  if (!first) return "";
  if (!second) return `${first} is typing…`;
  return more.length === 0 ? `${first} and ${second} are typing…` : "Several people are typing…";
}

export function TypingIndicator({ names }: { names: readonly string[] }) {
  return (
    <p className="room__typing" role="status">
      {sentence(names)}
    </p>
  );
}

function sentence([first, second, ...more]: readonly string[]): string {
  if (!first) return "";
  if (!second) return `${first} is typing…`;
  return more.length === 0 ? `${first} and ${second} are typing…` : "Several people are typing…";
}

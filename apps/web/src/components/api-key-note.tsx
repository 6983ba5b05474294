import { Button } from "@mantine/core";
import { CopyTextButton } from "./copy-text-button.tsx";

interface ApiKeyNoteProps {
  apiKey: string;
  onDone: () => void;
}

/** The key is shown where it was made and nowhere else on this page. */
export function ApiKeyNote({ apiKey, onDone }: ApiKeyNoteProps) {
  return (
    <div className="panel auth-form">
      <div>
        <h2 style={{ fontSize: "1.15rem", margin: "0 0 0.4rem" }}>Your API key</h2>
        <p style={{ margin: 0, color: "var(--ink-2)", lineHeight: 1.55 }}>
          For scripts and bots that act as you. On these pages you never need it. Keep it like a
          password. Your settings show it again.
        </p>
      </div>
      <div className="api-key">
        <code>{apiKey}</code>
        <CopyTextButton text={apiKey} label="Copy" />
      </div>
      <Button size="md" onClick={onDone}>
        Go on
      </Button>
    </div>
  );
}

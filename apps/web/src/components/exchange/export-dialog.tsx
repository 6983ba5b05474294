import "./exchange.css";
import { Modal } from "@mantine/core";
import { DownIcon } from "../icons.tsx";

interface ExportDialogProps {
  soul: { id: number; has_package: boolean };
  isOpened: boolean;
  onClose: () => void;
}

interface Format {
  format: string;
  name: string;
  about: string;
}

const groups: ReadonlyArray<{ heading: string; formats: readonly Format[] }> = [
  {
    heading: "Everything",
    formats: [
      { format: "zip", name: "Soul package", about: "All files in a .zip, as Soul Spec has it" },
    ],
  },
  {
    heading: "For character apps",
    formats: [
      {
        format: "card-png",
        name: "Character card",
        about: "A picture that carries the card, V2 and V3",
      },
      { format: "card-json", name: "Card as JSON", about: "Character Card V3" },
      { format: "card-v2-json", name: "Card as JSON, V2", about: "For older apps" },
      { format: "charx", name: "CHARX", about: "The card with its pictures, in a .zip" },
    ],
  },
  {
    heading: "For coding agents",
    formats: [
      { format: "claude-md", name: "CLAUDE.md", about: "Claude Code" },
      { format: "agents-md", name: "AGENTS.md", about: "Codex and others" },
      { format: "copilot-md", name: "Copilot instructions", about: "GitHub Copilot" },
      { format: "cursor-mdc", name: "Cursor rule", about: "A .mdc that always applies" },
      { format: "skill-md", name: "SKILL.md", about: "An agent skill" },
    ],
  },
];

/** Offers a soul in every format. Each choice is a link, so the browser saves the file itself. */
export function ExportDialog({ soul, isOpened, onClose }: ExportDialogProps) {
  return (
    <Modal opened={isOpened} onClose={onClose} title="Export this soul">
      <div className="exchange">
        {groups.map(({ heading, formats }) => (
          <section key={heading} aria-label={heading}>
            <h3 className="exchange__heading">{heading}</h3>
            <ul className="exchange__list">
              {formats.map(({ format, name, about }) => (
                <li key={format}>
                  <a
                    className="exchange__choice"
                    href={`/api/soul/${soul.id}/export?format=${format}`}
                    download
                  >
                    <DownIcon size={18} />
                    <span>
                      <strong>{name}</strong>
                      <span className="muted">{about}</span>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <p className="muted">
          {soul.has_package
            ? "This soul was imported. The package and its own card format also hold what the import brought along."
            : "The package and the cards can be imported again without loss."}
        </p>
      </div>
    </Modal>
  );
}

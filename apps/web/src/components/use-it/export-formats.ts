interface ExportFormat {
  format: string;
  name: string;
  about: string;
}

/** The formats of a soul's export, by the programs that read them. */
export const exportGroups: ReadonlyArray<{ heading: string; formats: readonly ExportFormat[] }> = [
  {
    heading: "For everything",
    formats: [
      { format: "zip", name: "Soul package", about: "All files in a .zip, as Soul Spec has it" },
      { format: "md", name: "Markdown", about: "The text alone, in one file" },
    ],
  },
  {
    heading: "For character apps",
    formats: [
      { format: "card-png", name: "Character card", about: "A picture with the card, V2 and V3" },
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

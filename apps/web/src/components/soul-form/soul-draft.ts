import type { Soul, SoulFields } from "../../queries.ts";
import {
  countCharacters,
  fileNameProblem,
  limits,
  readSoulFiles,
  type SoulFile,
  writeFolder,
} from "../../soul-files.ts";

/** A soul as it is being written. */
export interface SoulDraft {
  title: string;
  description: string;
  role: string;
  domain: string;
  compatibility: string;
  isPublic: boolean;
  /** The NFT contract that gates it; empty for none. */
  nftContract: string;
  files: SoulFile[];
}

export const emptyDraft: SoulDraft = {
  title: "",
  description: "",
  role: "Other",
  domain: "",
  compatibility: "any",
  isPublic: true,
  nftContract: "",
  files: [{ name: "SOUL.md", text: "" }],
};

export const draftOf = (soul: Soul): SoulDraft => ({
  title: soul.title,
  description: soul.description,
  role: soul.role,
  domain: soul.domain,
  compatibility: soul.compatibility,
  isPublic: soul.is_public === 1,
  nftContract: soul.nft_contract ?? "",
  files: readSoulFiles(soul),
});

/** One file called SOUL.md is a single prompt; anything else is a folder. */
export function contentOf({ files }: SoulDraft): string {
  const [only] = files;
  return files.length === 1 && only?.name === "SOUL.md" ? only.text : writeFolder(files);
}

export const fieldsOf = (draft: SoulDraft): SoulFields => ({
  title: draft.title,
  description: draft.description,
  content: contentOf(draft),
  role: draft.role,
  domain: draft.domain,
  compatibility: draft.compatibility.trim() || "any",
  is_public: draft.isPublic ? 1 : 0,
  nft_contract: draft.nftContract.trim().toLowerCase(),
});

type Problems = Partial<
  Record<"title" | "description" | "content" | "domain" | "compatibility", string>
>;

/** What the hub would refuse, said before it does. */
export function problemsOf(draft: SoulDraft): Problems {
  const problems: Problems = {};
  if (!draft.title.trim()) problems.title = "Give it a title";
  for (const field of ["title", "description", "domain", "compatibility"] as const) {
    const over = countCharacters(draft[field].trim()) - limits[field];
    if (over > 0) problems[field] = `${over.toLocaleString("en")} characters too many`;
  }
  const names = draft.files.map(({ name }) => name);
  if (names.some((_, at) => nameProblemAt(names, at)))
    problems.content = "One of the files needs another name";
  else if (draft.files.every(({ text }) => !text.trim()))
    problems.content = "Write what the soul is";
  else if (countCharacters(contentOf(draft)) > limits.content) {
    problems.content = `More than ${limits.content.toLocaleString("en")} characters`;
  }
  return problems;
}

/** Files from outside join those that are written; one of the same name takes its place. */
export function addFiles(files: readonly SoulFile[], more: readonly SoulFile[]): SoulFile[] {
  const names = new Set(more.map(({ name }) => name));
  const kept = files.filter(({ name, text }) => !names.has(name) && text.trim() !== "");
  return [...kept, ...more].slice(0, limits.files);
}

export const nameProblemAt = (names: readonly string[], at: number): string | undefined =>
  fileNameProblem(
    names[at] ?? "",
    names.filter((_, other) => other !== at),
  );

import { exactCount } from "../../counts.ts";
import type { Soul, SoulFields } from "../../queries.ts";
import {
  countCharacters,
  fileNameProblem,
  lengthProblem,
  limits,
  readSoulFiles,
  type SoulFile,
  writeFolder,
} from "../../soul-files.ts";

/** The values of the form with which a soul is published or edited. */
export interface SoulDraft {
  title: string;
  description: string;
  role: string;
  domain: string;
  compatibility: string;
  isPublic: boolean;
  /** The NFT contract of the soul's gate; empty if the soul has no gate. */
  nftContract: string;
  files: SoulFile[];
  /** The summary of this draft's changes; unused for a new soul. */
  note: string;
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
  note: "",
};

export function draftOf(soul: Soul): SoulDraft {
  const { title, description, role, domain, compatibility, is_public, nft_contract } = soul;
  const same = { title, description, role, domain, compatibility };
  const files = readSoulFiles(soul);
  return { ...same, isPublic: is_public === 1, nftContract: nft_contract ?? "", files, note: "" };
}

export const fileTypeOf = ({ files }: SoulDraft): Soul["file_type"] =>
  files.length === 1 && files[0]?.name === "SOUL.md" ? "single_md" : "full_soul_folder";

/** The content to publish: the text of a single file named SOUL.md, otherwise a folder as JSON. */
export const contentOf = (draft: SoulDraft): string =>
  fileTypeOf(draft) === "single_md" ? (draft.files[0]?.text ?? "") : writeFolder(draft.files);

export const fieldsOf = (draft: SoulDraft): SoulFields => ({
  title: draft.title,
  description: draft.description,
  content: contentOf(draft),
  role: draft.role,
  domain: draft.domain,
  compatibility: draft.compatibility.trim() || "any",
  is_public: draft.isPublic ? 1 : 0,
  nft_contract: draft.nftContract.trim().toLowerCase(),
  note: draft.note,
});

type Problems = Partial<
  Record<"title" | "description" | "content" | "domain" | "compatibility" | "note", string>
>;

/**
 * Checks the limits that the API enforces (decisions §2).
 * @param isComplete whether missing input is a problem too, as it is when the draft is submitted
 */
export function problemsOf(draft: SoulDraft, isComplete: boolean): Problems {
  const problems: Problems = {};
  if (isComplete && !draft.title.trim()) problems.title = "Enter a title";
  for (const field of ["title", "description", "domain", "compatibility", "note"] as const) {
    const problem = lengthProblem(draft[field], limits[field]);
    if (problem) problems[field] = problem;
  }
  const names = draft.files.map(({ name }) => name);
  if (draft.files.every(({ text }) => !text.trim())) {
    if (isComplete) problems.content = "Enter the soul's text";
  } else if (names.some((_, at) => nameProblemAt(names, at))) {
    problems.content = "Rename the file with the invalid name";
  } else if (countCharacters(contentOf(draft)) > limits.content) {
    problems.content = `More than ${exactCount(limits.content)} characters`;
  }
  return problems;
}

/**
 * Adds files to those of a draft. Files of the same name are replaced, and the draft's empty files
 * are removed.
 */
export function addFiles(files: readonly SoulFile[], more: readonly SoulFile[]): SoulFile[] {
  const names = new Set(more.map(({ name }) => name));
  const others = files.filter(({ name, text }) => !names.has(name) && text.trim() !== "");
  return [...others, ...more].slice(0, limits.files);
}

export const nameProblemAt = (names: readonly string[], at: number): string | undefined =>
  fileNameProblem(
    names[at] ?? "",
    names.filter((_, other) => other !== at),
  );

import type { ComparedFile, SoulFile } from "./compare-files.ts";

/** What two versions can differ in. `json`: the same files in the same order, as other JSON. */
const differenceKinds = ["files", "fields", "file_order", "file_type", "json", "package"] as const;
type DifferenceKind = (typeof differenceKinds)[number];

/** The form of one version, which its texts do not tell. */
interface VersionForm {
  content: string;
  file_type: string | null;
  files: readonly SoulFile[];
  /** Equal values are the same package. */
  package: unknown;
}

interface ComparedVersions {
  before: VersionForm;
  after: VersionForm;
  /** The fields that differ, as the sentence names them. */
  fields: readonly string[];
  files: readonly Pick<ComparedFile, "state">[];
}

/** Names what two versions differ in, as kinds and as a sentence. Every version is thus told apart. */
export function describeDifference({ before, after, fields, files }: ComparedVersions) {
  const changed = files.filter(({ state }) => state !== "same").length;
  const isReordered = commonNames(before, after) !== commonNames(after, before);
  const isRetyped = before.file_type !== after.file_type;
  const isSameForm = changed === 0 && !isReordered && !isRetyped;
  const form = `as ${after.file_type === "full_soul_folder" ? "a folder" : "one Markdown"}`;
  const words: Record<DifferenceKind, string | false> = {
    files: changed > 0 && (changed === 1 ? "1 file changed" : `${changed} files changed`),
    fields: fields.length > 0 && fields.join(", "),
    file_order: isReordered && "other order of files",
    file_type: isRetyped && (changed === 0 ? `same text, ${form}` : form),
    json: isSameForm && before.content !== after.content && "same files, as other JSON",
    package: before.package !== after.package && "other package",
  };
  const kinds = differenceKinds.filter((kind) => words[kind] !== false);
  const isOfFields = kinds.length === 1 && kinds[0] === "fields";
  const text = kinds.map((kind) => words[kind]).join("; ") || "nothing changed";
  return { kinds, summary: sentence(isOfFields ? `only ${text}` : text) };
}

/** The names of the files that both versions have, in the order of the first one. */
const commonNames = ({ files }: VersionForm, other: VersionForm): string => {
  const names = new Set(other.files.map(({ name }) => name));
  return files.flatMap(({ name }) => (names.has(name) ? [name] : [])).join("\n");
};

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** A file beside a soul's content, kept byte for byte. */
export interface PackageFile {
  /** The path within the package, with `/` between folders. */
  path: string;
  bytes: Uint8Array;
}

export type FileType = "single_md" | "full_soul_folder";

/** The fields of a soul that files carry. The limits are those of decisions §2. */
export interface SoulTexts {
  title: string;
  description: string;
  /** Markdown, or the JSON text of an object from file names to texts. */
  content: string;
  file_type: FileType;
  /** A category slug, or `Other`. */
  role: string;
  domain: string;
  compatibility: string;
}

/** The texts of a soul beside its content. */
export const fieldNames = ["title", "description", "role", "domain", "compatibility"] as const;

/** A soul to export. */
export interface SoulState extends SoulTexts {
  package: readonly PackageFile[];
}

/** What an export names beside the state of the soul. */
export interface ExportNames {
  /** The soul's title as a word of `[a-z0-9-]`, for file names and manifests. */
  slug: string;
  /** The owner's username. */
  author: string;
  /** `1.0.<number of snapshots>`. */
  version: string;
  /** The soul's id on this hub. */
  id: number;
  /** The category slugs: the values of `category` that a manifest and a soul share. */
  roles: ReadonlySet<string>;
}

/** A part of a file that was changed, left out or not understood. */
export interface ImportWarning {
  path: string;
  message: string;
}

/** A file of an import, and where it is kept. */
export interface ImportedFile {
  path: string;
  bytes: Uint8Array;
  kept: "content" | "package";
}

export type ImportFormat =
  | "zip"
  | "charx"
  | "card-png"
  | "card-json"
  | "card-v2-json"
  | "card-v1-json"
  | "md";

/** A file, read. A field that the file does not carry is undefined. */
export interface ImportedSoul {
  format: ImportFormat;
  content: string;
  file_type: FileType;
  fields: { [Field in Exclude<keyof SoulTexts, "content" | "file_type">]?: string };
  /** A title for a new soul whose file names none. */
  fallbackTitle: string;
  package: PackageFile[];
  files: ImportedFile[];
  warnings: ImportWarning[];
}

/** The fields of a new soul from a file, where the file carries none. */
export const newSoulTexts = (read: ImportedSoul): SoulTexts => ({
  title: read.fields.title ?? read.fallbackTitle,
  description: read.fields.description ?? "",
  content: read.content,
  file_type: read.file_type,
  role: read.fields.role ?? "Other",
  domain: read.fields.domain ?? "",
  compatibility: read.fields.compatibility ?? "any",
});

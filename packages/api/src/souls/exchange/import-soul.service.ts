import {
  FormatError,
  type ImportedSoul,
  newSoulTexts,
  type PackageFile,
  type SoulTexts,
} from "@soul-hub/soul-formats";
import { lockAccount } from "../../accounts/standing/standing.queries.ts";
import type { AccountContext } from "../../caller/caller.ts";
import type { Db } from "../../db/database.ts";
import { transact } from "../../db/transact.ts";
import { HubError, invalidField } from "../../errors.ts";
import { categorySlugs } from "../categories.ts";
import { changeSoul, textColumns } from "../change-soul.ts";
import {
  inMemory,
  isStored,
  readPackage,
  sha256,
  storePackage,
} from "../packages/packages.queries.ts";
import { detectFileType } from "../soul-content.ts";
import { assertOwn, lockOwnSoul } from "../soul-lock.ts";
import { soulFields } from "../souls.schema.ts";
import { addSoul, knownRole, soulUrl } from "../souls.service.ts";
import type { SoulImport } from "./exchange.schema.ts";

/**
 * Imports a file as a new soul, or as the next version of the caller's soul (0052). A failed import
 * writes nothing.
 * @throws HubError `import_invalid`, `invalid_input`, `soul_not_found`, `not_owner`, `soul_changed`,
 *   `account_storage_full`
 */
export async function importSoulFile(ctx: AccountContext, input: SoulImport) {
  const read = await readFile(ctx, input.file);
  const { soul_id } = input;
  const done =
    soul_id === undefined
      ? await importNew(ctx, read, input)
      : await importInto(ctx, read, { ...input, soul_id });
  const { format, files, warnings } = read;
  return {
    ...done,
    format,
    files: files.map(({ path, bytes, kept }) => ({
      path,
      size: bytes.length,
      sha256: sha256(bytes),
      kept,
    })),
    warnings,
  };
}

/** A file, read, and the nickname of the card in it. */
type ReadFile = ImportedSoul & { nickname: string | null };

async function readFile({ hub, mediaType }: AccountContext, file: Uint8Array): Promise<ReadFile> {
  const isMarkdown = mediaType === "text/markdown";
  try {
    return await hub.formats.run("readSoulFile", file, categorySlugs, isMarkdown);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw invalid(error.at, error.message, error);
  }
}

const invalid = (at: string, message: string, cause?: unknown) =>
  new HubError("import_invalid", { details: [{ field: at, message }], cause });

/** The texts of a file as a soul stores them. @throws HubError `import_invalid` */
function storable(texts: SoulTexts): SoulTexts {
  const { error } = soulFields.content.safeParse(texts.content);
  if (error) throw invalid("", `has content that ${error.issues[0]?.message ?? "is invalid"}`);
  const file_type = detectFileType(texts.content);
  return { ...texts, file_type, role: knownRole(texts.role) };
}

async function importNew(ctx: AccountContext, read: ReadFile, input: SoulImport) {
  if (input.expected_sha256 !== undefined) {
    throw invalidField("expected_sha256", "needs `soul_id`");
  }
  const texts = storable(newSoulTexts(read));
  const add = async (tx: Db) => {
    const package_id = await store(ctx, tx, read.package, read.nickname);
    return addSoul(tx, ctx.caller.account.id, {
      ...textsOnly(texts),
      is_public: input.is_public ? 1 : 0,
      nft_contract: null,
      package_id,
    });
  };
  const id = await inTransaction(ctx, input.dry_run, add);
  const seen = input.is_public ? "is published" : "is saved as private";
  return {
    message: input.dry_run ? "The file can be imported." : `“${texts.title}” ${seen}.`,
    id: input.dry_run ? null : id,
    url: input.dry_run ? null : soulUrl(ctx, id),
    changed: true,
    file_type: texts.file_type,
    preview: input.dry_run ? previewOf(texts, read) : null,
  };
}

const previewOf = ({ title, content }: SoulTexts, { nickname }: ReadFile) => ({
  title,
  content,
  character: nickname === null ? null : nickname || title,
});

async function importInto(
  ctx: AccountContext,
  read: ReadFile,
  { soul_id, dry_run, expected_sha256 }: SoulImport & { soul_id: number },
) {
  const { changed, file_type } = await inTransaction(ctx, dry_run, async (tx) => {
    await lockOwnSoul(ctx, tx, soul_id);
    const present = await tx
      .selectFrom("souls")
      .select([...textColumns, "package_id"])
      .where("id", "=", soul_id)
      .executeTakeFirstOrThrow();
    if (expected_sha256 !== undefined && expected_sha256 !== sha256(present.content)) {
      throw new HubError("soul_changed");
    }
    const { package_id, ...before } = present;
    const texts = storable({
      ...before,
      ...read.fields,
      content: read.content,
      file_type: read.file_type,
    });
    const { files, nickname } = await nextPackage(tx, package_id, read);
    const hasFiles = await isStored(tx, package_id, inMemory(files));
    if (hasFiles && textColumns.every((name) => before[name] === texts[name])) {
      return { changed: false, file_type: texts.file_type };
    }
    const next = hasFiles ? package_id : await store(ctx, tx, files, nickname);
    const changes = { ...textsOnly(texts), file_type: texts.file_type, note: null };
    assertOwn(ctx, await changeSoul(tx, { id: soul_id, changer: ctx.caller.account.id }, changes));
    await tx.updateTable("souls").set({ package_id: next }).where("id", "=", soul_id).execute();
    return { changed: true, file_type: texts.file_type };
  });
  if (changed && !dry_run) ctx.hub.rooms.soulChanged(soul_id);
  const done = changed
    ? "The soul is saved. Its previous state is in the history."
    : "Nothing changed.";
  return {
    message: dry_run ? "The file can be imported." : done,
    id: dry_run ? null : soul_id,
    url: dry_run ? null : soulUrl(ctx, soul_id),
    changed,
    file_type,
    preview: null,
  };
}

/** One Markdown says nothing about the package that the soul has; every other file replaces it. */
async function nextPackage(
  tx: Db,
  packageId: number | null,
  read: ReadFile,
): Promise<{ files: PackageFile[]; nickname: string | null }> {
  if (read.format !== "md") return { files: read.package, nickname: read.nickname };
  const brought = new Set(read.package.map(({ path }) => path));
  const present = await readPackage(tx, packageId);
  const stored = await tx
    .selectFrom("soul_packages")
    .select("nickname")
    .where("id", "=", packageId)
    .executeTakeFirst();
  const files = [...present.filter(({ path }) => !brought.has(path)), ...read.package];
  return { files, nickname: stored?.nickname ?? null };
}

const textsOnly = ({ file_type: _, ...texts }: SoulTexts) => texts;

const store = (
  ctx: AccountContext,
  tx: Db,
  files: readonly PackageFile[],
  nickname: string | null,
) =>
  storePackage(tx, {
    userId: ctx.caller.account.id,
    files: inMemory(files),
    nickname,
    maxBytes: ctx.hub.config.storageBytesPerAccount,
  });

/** Thrown to undo a dry run, with its result. */
class Undone<Result> extends Error {
  readonly result: Result;
  constructor(result: Result) {
    super("A dry run changes nothing.");
    this.result = result;
  }
}

/** Runs an import. A dry run does the same work, so that it meets the same failures, and undoes it. */
async function inTransaction<Result>(
  ctx: AccountContext,
  isDry: boolean,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> {
  try {
    return await transact(ctx.db, async (tx) => {
      await lockAccount(tx, ctx.caller.account.id);
      const result = await work(tx);
      if (isDry) throw new Undone(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Undone) return error.result as Result;
    throw error;
  }
}

export {
  type ExportFormatName,
  exportFormatNames,
  exportFormats,
  exportSoul,
} from "./export-soul.ts";
export { FormatError } from "./format-error.ts";
export { readJsonObject } from "./json/read-json.ts";
export { replaceMacros } from "./macros.ts";
export { markdownOf } from "./markdown/soul-markdown.ts";
export {
  cardNickname,
  MAX_FILES_OF_SOUL,
  MAX_IMPORT_BYTES,
  MAX_PACKAGE_BYTES,
  readSoulFile,
} from "./read-soul-file.ts";
export {
  filesOf,
  fileTypeOf,
  folderProblem,
  isFileName,
  lastOfDoubles,
  MAX_FILES,
} from "./soul-files.ts";
export {
  type ExportNames,
  type ImportedSoul,
  newSoulTexts,
  type PackageFile,
  type SoulState,
  type SoulTexts,
} from "./soul-state.ts";
export { oneLine, unusedNumber } from "./text.ts";
export { MANIFEST } from "./zip/manifest.ts";
export { type OpenZip, openZip } from "./zip/open-zip.ts";
export { readZip } from "./zip/read-zip.ts";
export { ARCHIVE_FORMAT, cardFileOf, filesOfSoul, soulOfFiles } from "./zip/soul-zip.ts";
export { type StreamedFile, streamZip } from "./zip/stream-zip.ts";
export { assertPathsFit } from "./zip/zip-path.ts";

import { PageFailure } from "../../failures.ts";

export interface ChosenImage {
  /** The image as a base64 data URI, for `chat.send`. */
  dataUri: string;
  name: string;
  /** Text about how the image was changed to fit the limits; undefined for an unchanged image. */
  note: string | undefined;
  /** The size in pixels, before it was changed; undefined if the browser can't read the image. */
  width: number | undefined;
  height: number | undefined;
}

const problem = (hint: string) => new PageFailure("This file can't be sent", hint);

/** The hub's limit for an image (decisions §5, Images). */
const MAX_IMAGE_BYTES = 3_750_000;
const SIGNATURE_BYTES = 12;

/**
 * Checks the chosen file. A file that the hub would refuse is resized or converted to JPEG.
 * @throws {PageFailure} when the file is no image or can't be resized
 */
export async function prepareImage(file: File): Promise<ChosenImage> {
  const name = file.name || "Image";
  const mime = mimeOf(new Uint8Array(await file.slice(0, SIGNATURE_BYTES).arrayBuffer()));
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  const size = { width: bitmap?.width, height: bitmap?.height };
  if (mime && file.size <= MAX_IMAGE_BYTES) {
    bitmap?.close();
    // The MIME type comes from the content, because a file name may be wrong.
    const dataUri = await readDataUri(new Blob([file], { type: mime }));
    return { dataUri, name, note: undefined, ...size };
  }
  if (!bitmap) {
    throw problem(
      mime
        ? "It is larger than 3.75 MB, and this browser can't resize it."
        : "It is not a PNG, JPEG, WebP or GIF image.",
    );
  }
  // Few images need it, so the first load of a room leaves it out.
  const { shrinkImage } = await import("./shrink-image.ts");
  const shrunk = await shrinkImage(bitmap, MAX_IMAGE_BYTES);
  if (!shrunk) throw problem("This browser can't resize it below 3.75 MB.");
  bitmap.close();
  const note = mime === "image/gif" ? `${shrunk.note} Its animation is lost.` : shrunk.note;
  return { dataUri: await readDataUri(shrunk.blob), name, note, ...size };
}

/** Detects the MIME type by magic bytes, like the hub (decisions §5, Images). */
function mimeOf(bytes: Uint8Array): string | undefined {
  const text = String.fromCharCode(...bytes);
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  return text.startsWith("RIFF") && text.slice(8, 12) === "WEBP" ? "image/webp" : undefined;
}

const readDataUri = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(problem("The file can't be read."));
    reader.readAsDataURL(blob);
  });

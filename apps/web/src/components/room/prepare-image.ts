export interface ChosenImage {
  /** As `chat.send` takes it. */
  dataUri: string;
  name: string;
  /** What was done to the picture to make it fit. */
  note: string | undefined;
}

/** Why a file can't be sent, in words for whoever chose it. */
export class ImageProblem extends Error {}

/** Decisions §5, Images. */
const MAX_IMAGE_BYTES = 3_750_000;
/** A photo made smaller goes down to this at once: models see no more. */
const LONGEST_EDGE_PX = 2_048;
const SMALLER_STEP = 0.75;
const JPEG_QUALITY = 0.86;
const SIGNATURE_BYTES = 12;

/** Checks what was chosen, and makes it smaller or another kind of file where it must be. */
export async function prepareImage(file: File): Promise<ChosenImage> {
  const name = file.name || "Picture";
  const kind = kindOf(new Uint8Array(await file.slice(0, SIGNATURE_BYTES).arrayBuffer()));
  if (kind && file.size <= MAX_IMAGE_BYTES) {
    // By what it holds: a name may say anything.
    return { dataUri: await readDataUri(new Blob([file], { type: kind })), name, note: undefined };
  }
  const picture = await createImageBitmap(file).catch(() => {
    throw new ImageProblem(
      kind
        ? "It is larger than 3.75 MB, and this browser can't make it smaller."
        : "It is not a picture that can be sent. PNG, JPEG, WebP and GIF work.",
    );
  });
  const { blob, width, height } = await shrink(picture);
  const from = `${picture.width} × ${picture.height}`;
  picture.close();
  const stands = kind === "image/gif" ? " It no longer moves." : "";
  const note = `Made smaller to fit, from ${from} to ${width} × ${height}.${stands}`;
  return { dataUri: await readDataUri(blob), name, note };
}

/** What a file is by its first bytes, as the hub tells it. */
function kindOf(bytes: Uint8Array): string | undefined {
  const text = String.fromCharCode(...bytes);
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  return text.startsWith("RIFF") && text.slice(8, 12) === "WEBP" ? "image/webp" : undefined;
}

async function shrink(picture: ImageBitmap) {
  let scale = Math.min(1, LONGEST_EDGE_PX / Math.max(picture.width, picture.height));
  for (;;) {
    const canvas = document.createElement("canvas");
    const width = Math.max(1, Math.round(picture.width * scale));
    const height = Math.max(1, Math.round(picture.height * scale));
    canvas.width = width;
    canvas.height = height;
    const brush = canvas.getContext("2d");
    if (!brush) throw new ImageProblem("This browser can't make it smaller than 3.75 MB.");
    // JPEG has no transparency: without a ground it would turn black.
    brush.fillStyle = "white";
    brush.fillRect(0, 0, width, height);
    brush.drawImage(picture, 0, 0, width, height);
    const blob = await new Promise<Blob | null>((done) =>
      canvas.toBlob(done, "image/jpeg", JPEG_QUALITY),
    );
    if (!blob) throw new ImageProblem("This browser can't make it smaller than 3.75 MB.");
    if (blob.size <= MAX_IMAGE_BYTES) return { blob, width, height };
    scale *= SMALLER_STEP;
  }
}

const readDataUri = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new ImageProblem("The file could not be read."));
    reader.readAsDataURL(blob);
  });

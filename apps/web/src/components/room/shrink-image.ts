/** The first size to try, in pixels. Models scale larger images down to about this size. */
const LONGEST_EDGE_PX = 2_048;
const SCALE_STEP = 0.75;
const JPEG_QUALITY = 0.86;

/**
 * Converts an image to JPEG, in the largest size that fits.
 * @returns the image and a note about the change; undefined if the browser can't draw
 */
export async function shrinkImage(bitmap: ImageBitmap, maxBytes: number) {
  let scale = Math.min(1, LONGEST_EDGE_PX / Math.max(bitmap.width, bitmap.height));
  for (;;) {
    const width = Math.max(1, Math.round(bitmap.width * scale));
    const height = Math.max(1, Math.round(bitmap.height * scale));
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    if (!context) return undefined;
    // JPEG has no transparency: without a white background, transparent pixels would become black.
    context.fillStyle = "white";
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0, width, height);
    const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: JPEG_QUALITY });
    if (blob.size <= maxBytes) return { blob, note: noteOf(bitmap, width, height) };
    scale *= SCALE_STEP;
  }
}

const noteOf = (from: ImageBitmap, width: number, height: number): string =>
  width < from.width || height < from.height
    ? `Resized from ${from.width} × ${from.height} to ${width} × ${height} to fit the size limit.`
    : "Converted to JPEG.";

/** Time in milliseconds after which a started download no longer needs its address. */
const REVOKE_AFTER_MS = 60_000;

/** Saves a file on the reader's device, as a download. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS);
}

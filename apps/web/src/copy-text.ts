/** Copies text. Returns false if the browser denies access to the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // `navigator.clipboard` exists in secure contexts only: https or localhost.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

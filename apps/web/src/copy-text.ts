/** False where the browser does not let a page write to the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Absent on a page that came neither by https nor from this machine.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

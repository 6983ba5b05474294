/** Turns the error of a missing file into null, and throws any other error again. */
export function nullIfAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

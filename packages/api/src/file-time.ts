/** Returns the time for the name of a file, for example `20270131-120000` (UTC). */
export const fileTime = (): string =>
  new Date().toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");

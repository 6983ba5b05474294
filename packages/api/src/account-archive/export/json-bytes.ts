/** Writes a JSON file for people. */
export const jsonFile = (value: object): Uint8Array =>
  Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** Writes a line of a list. */
export const jsonLine = <Line extends object>(line: Line): Uint8Array =>
  Buffer.from(`${JSON.stringify(line)}\n`);

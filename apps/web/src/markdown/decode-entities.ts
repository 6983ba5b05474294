const field = document.createElement("textarea");

/**
 * Decodes one named character reference, such as `&eacute;`. It takes the place of the package
 * `entities` in markdown-it (vite.config.ts): the browser has the table of all names, which would be
 * a quarter of the Markdown renderer's bytes.
 */
export function decodeHTMLStrict(reference: string): string {
  // The text of a textarea contains no elements, so nothing in it can run.
  field.innerHTML = reference;
  const { value } = field;
  // `&region;` is no reference, but its beginning `&reg` would become a sign.
  return value.length > 1 && value.endsWith(";") ? reference : value;
}

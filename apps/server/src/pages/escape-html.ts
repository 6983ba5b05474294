/** Escapes text for use inside an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);

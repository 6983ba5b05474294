const MACROS = /\{\{(char|user|original)\}\}|<(bot|user)>/gi;
const REQUESTER = "the person you answer";

/**
 * Replaces the macros of a character card in a text, once: a value is not searched again.
 * @param name the character's name
 */
export const replaceMacros = (text: string, name: string): string =>
  text.replaceAll(MACROS, (_, braced: string | undefined, angled: string | undefined) => {
    const macro = (braced ?? angled ?? "").toLowerCase();
    if (macro === "char" || macro === "bot") return name;
    return macro === "user" ? REQUESTER : "";
  });

/**
 * Matches the message that the hub formats from a mini app's form: a bold title, the request, and
 * a list of bold labels (decisions §7, Mini apps).
 */
const FORM_MESSAGE = /^\*\*[^*\n]+\*\*\n\n[^\n]+\n\n- \*\*[^*\n]+:\*\*/;

/** Whether a person's message comes from a mini app. Such a message is shown as Markdown. */
export const isFormMessage = (text: string): boolean => FORM_MESSAGE.test(text);

/** A button of a mail. The token is in the fragment, which browsers send to no server (0059). */
export interface MailLink {
  label: string;
  /** A path of the hub's pages, such as `/reset-password`. */
  path: string;
  token?: string | undefined;
}

/** What a mail says, without greeting and signature. */
export interface MailContent {
  subject: string;
  paragraphs: readonly string[];
  links?: readonly MailLink[] | undefined;
}

/** The address of a page. It comes from BASE_URL alone, never from a Host header (0059). */
export const linkUrl = (baseUrl: string, { path, token }: Omit<MailLink, "label">): string =>
  `${baseUrl}${path}${token === undefined ? "" : `#${token}`}`;

/**
 * Renders a mail as plain text and HTML. Neither contains images or addresses of other servers.
 * @param name the username to greet, or null for an address that several accounts share
 */
export function renderMail(
  baseUrl: string,
  name: string | null,
  { subject, paragraphs, links = [] }: MailContent,
) {
  const greeting = name === null ? "Hello," : `Hello ${name},`;
  const signature = `This mail is from the Soul Hub at ${baseUrl}.`;
  const targets = links.map((link) => ({ label: link.label, url: linkUrl(baseUrl, link) }));
  const text = [
    greeting,
    ...paragraphs,
    ...targets.map(({ label, url }) => `${label}:\n${url}`),
    `-- \n${signature}`,
  ].join("\n\n");
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escaped(subject)}</title></head>`,
    '<body style="margin:0 auto;max-width:34rem;padding:1.5rem;font:16px/1.5 sans-serif">',
    ...[greeting, ...paragraphs].map((line) => `<p>${broken(line)}</p>`),
    ...targets.map(({ label, url }) => button(label, url)),
    `<p style="margin-top:2rem;font-size:.85em;opacity:.75">${escaped(signature)}</p>`,
    "</body></html>",
  ].join("\n");
  return { subject, text: `${text}\n`, html: `${html}\n` };
}

// The address is repeated as text, for mail programs that show no links.
const button = (label: string, url: string) =>
  `<p><a href="${escaped(url)}" style="display:inline-block;padding:.6rem 1.1rem;` +
  `border-radius:.5rem;background:#0a7457;color:#fff;text-decoration:none">${escaped(label)}</a>` +
  `<br><span style="font-size:.85em;overflow-wrap:anywhere">${escaped(url)}</span></p>`;

const broken = (text: string) => escaped(text).replaceAll("\n", "<br>");

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

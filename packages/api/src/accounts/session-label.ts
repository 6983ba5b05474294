/** Browsers by a mark of their user agent. The marks of Chrome and Safari stand in others, too. */
const browsers: readonly [name: string, mark: RegExp][] = [
  ["Edge", /\bEdg(?:A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS)\//],
  ["Safari", /\bVersion\/[\d.]+.* Safari\//],
];
const systems: readonly [name: string, mark: RegExp][] = [
  ["Android", /\bAndroid\b/],
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

const nameIn = (userAgent: string, names: typeof browsers) =>
  names.find(([, mark]) => mark.test(userAgent))?.[0];

/**
 * Names a session by its browser and system, such as `Firefox on Linux`. Only this name is kept,
 * since versions and models would tell browsers apart (0059).
 * @returns null for a program
 */
export function sessionLabel(userAgent: string): string | null {
  const browser = nameIn(userAgent, browsers);
  const system = nameIn(userAgent, systems);
  return browser && system ? `${browser} on ${system}` : (browser ?? system ?? null);
}

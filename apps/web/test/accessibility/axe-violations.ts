import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 360, height: 740 };
const looks = [WIDE, NARROW].flatMap((size) =>
  (["light", "dark"] as const).map((colorScheme) => ({ size, colorScheme })),
);
type Look = (typeof looks)[number];

interface Axe {
  run(options: RunOptions): Promise<AxeResults>;
}
type PageWithAxe = Window & { axe?: Axe };

/** The number of checks of each test, by the test's name. */
const checks = new Map<string, number>();

/**
 * Runs axe on the page. A deep file (`*.deep.test.ts`) checks it in two sizes and both colour
 * schemes. Any other file checks each state in one of these four looks, since axe takes most of the
 * processor time of such a test. The page needs a context with `bypassCSP`: the content security
 * policy forbids the injected script.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) {
    const source = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
    await page.evaluate(await readFile(source, "utf8"));
  }
  const isDeep = expect.getState().testPath?.endsWith(".deep.test.ts");
  const found: string[] = [];
  for (const look of isDeep ? looks : [nextLook(page)])
    found.push(...(await violations(page, look)));
  await page.setViewportSize(WIDE);
  return found;
}

/**
 * Returns the looks by turns. The first one follows from the test's name, so that a test run alone
 * has the same looks. A page that is narrow already stays narrow, because its state may be that of a
 * phone.
 */
function nextLook(page: Page): Look {
  const { currentTestName = "" } = expect.getState();
  const check = checks.get(currentTestName) ?? 0;
  checks.set(currentTestName, check + 1);
  const isNarrow = (page.viewportSize()?.width ?? 0) < 500;
  const turns = looks.filter(({ size }) => size === NARROW || !isNarrow);
  return turns[(currentTestName.length + check) % turns.length] as Look;
}

async function violations(page: Page, { size, colorScheme }: Look): Promise<string[]> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
  // axe describes the elements of no other result.
  const { violations } = await page.evaluate(
    (options) => (window as PageWithAxe).axe?.run(options) as Promise<AxeResults>,
    { resultTypes: ["violations"] } satisfies RunOptions,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => {
      const summary = failureSummary?.split("\n")[1]?.trim();
      return `${colorScheme} ${size.width}: ${id} at ${target.join(" ")}: ${summary}`;
    }),
  );
}

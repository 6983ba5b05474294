import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const sizes = [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
];

interface Axe {
  run(options: RunOptions): Promise<AxeResults>;
}

/**
 * The axe rules that compare colours. All other rules have equal results in both colour schemes.
 */
const RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * Runs axe on the page in two sizes and both colour schemes. The page needs a context with
 * `bypassCSP`: the content security policy forbids the injected script.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  const source = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(await readFile(source, "utf8"));
  const found: string[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
      // axe describes the elements of no other result.
      const options: RunOptions = {
        resultTypes: ["violations"],
        ...(colorScheme === "dark" && { runOnly: RULES_OF_COLOURS }),
      };
      const { violations } = await page.evaluate(
        (options) => (window as unknown as Window & { axe: Axe }).axe.run(options),
        options,
      );
      for (const { id, nodes } of violations) {
        for (const { target, failureSummary } of nodes) {
          const summary = failureSummary?.split("\n")[1]?.trim();
          found.push(`${colorScheme} ${size.width}: ${id} at ${target.join(" ")}: ${summary}`);
        }
      }
    }
  }
  await page.setViewportSize(sizes[0] ?? { width: 1440, height: 900 });
  return found;
}

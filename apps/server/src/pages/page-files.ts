import { readFileSync } from "node:fs";
import { z } from "zod";

/** What one page needs beside what every page needs (apps/web/page-files.ts). */
export interface PageFiles {
  scripts: string[];
  styles: string[];
}

const list = z.array(
  z.object({ path: z.string(), scripts: z.array(z.string()), styles: z.array(z.string()) }),
);

/** The files of the page that an address shows; undefined where there is no such page. */
export type FilesOfPage = (pathname: string) => PageFiles | undefined;

export function readPageFiles(file: string): FilesOfPage {
  const pages = list
    .parse(JSON.parse(readFileSync(file, "utf8")))
    .map(({ path, ...files }) => ({ pattern: asPattern(path), files }));
  return (pathname) => pages.find(({ pattern }) => pattern.test(pathname))?.files;
}

/** `/soul/$id` of the router: a name stands for one step of the path. */
const asPattern = (path: string) => {
  const steps = path.split("/").map((step) => (step.startsWith("$") ? "[^/]+" : step));
  return new RegExp(`^${steps.join("/")}/?$`);
};

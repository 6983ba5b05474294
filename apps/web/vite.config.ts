import path from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { compression } from "vite-plugin-compression2";
import { pageFiles } from "./page-files.ts";

/**
 * The address of the hub that `pnpm start` starts. In development `vite` forwards API calls to it.
 */
const hub = "http://localhost:3000";

/** Without a preload, the browser requests fonts only after the first layout of text. */
const preloadFonts: Plugin = {
  name: "preload-fonts",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => /-latin-wght-normal-.*\.woff2$/.test(file))
        .map((file) => ({
          tag: "link",
          attrs: {
            rel: "preload",
            href: `/${file}`,
            as: "font",
            type: "font/woff2",
            crossorigin: "",
          },
          injectTo: "head",
        })),
  },
};

/**
 * The static content needs styles and fonts, and no script (0019). On a slow network, scripts of the
 * usual priority would delay it.
 */
const paintFirst: Plugin = {
  name: "paint-first",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler: (html) =>
      html.replaceAll(
        /<(script type="module"|link rel="modulepreload")/g,
        '$& fetchpriority="low"',
      ),
  },
};

/**
 * Matches modules for the shared file `parts`: Mantine hooks, TanStack and the app's own modules.
 * Excluded are routes, the large Markdown renderer, the focus hooks of dialogs and modules that no
 * room needs: a room has the largest first load.
 */
const smallParts =
  /[\\/]src[\\/](?!routes[\\/]|.*markdown|.*(?:further-error|draft-storage|moderation|admin|load-more|password|passkey|proof|wallet|signed-in|after-sign|checked-form|mention-notices|block-button|dialog-button|dialog-foot|form-foot|confirm|after-change|undoable|copy-field|copy-text-button|sign-in-wall|member-page|soul-card))|@mantine[\\/]hooks(?!.*(?:focus|clipboard|intersection|observer|shallow|timeout|local-storage))|[\\/]VisuallyHidden[\\/]|@tanstack(?!.*infinite)/;
/** Matches modules for the file of the forms of an account: they are on no other page. */
const accountForms =
  /@mantine[\\/].*[\\/]PasswordInput|[\\/]account[\\/].*(?:password|proof|passkey|signed-in|after-sign)|checked-form/;
/** Matches modules for the file of a message, which rooms, shared conversations and trials show. */
const messageLine =
  /[\\/]room[\\/](?:failure-of-action|memory[\\/]use-memory|quota-messages|messages[\\/](?:days|message-line|line-id|made-by)|.*mentions)|form-message|image-mark|[\\/]client[\\/]src[\\/](?:room-feed|feed-)/;
const isPart = (id: string) => smallParts.test(id) && !messageLine.test(id);
const soulCards = /[\\/]soul-card/;
const fields = /@mantine[\\/]core[\\/].*[\\/](Textarea|Switch)[\\/]/;

export default defineConfig({
  plugins: [
    react(),
    preloadFonts,
    paintFirst,
    pageFiles,
    compression({ algorithms: ["brotliCompress", "gzip"], threshold: 1024 }),
  ],
  resolve: {
    alias: { entities: path.resolve(import.meta.dirname, "src/markdown/decode-entities.ts") },
  },
  build: {
    target: "es2023",
    // Each browser that runs this code preloads modules by itself.
    modulePreload: { polyfill: false },
    // Inlined assets become data: URIs, which the content security policy forbids for fonts.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The modules of the first load form one file, because on a phone each further file
            // costs a round trip.
            { name: "index", tags: ["$initial"], priority: 1 },
            // The file `parts` contains small modules that at least three pages use, with the
            // Mantine components they import.
            { name: "parts", test: isPart, minShareCount: 3, maxModuleSize: 8_000 },
            { name: "message-line", test: messageLine, minShareCount: 2 },
            { name: "fields", test: fields },
            { name: "soul-cards", test: soulCards },
            { name: "account", test: accountForms, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      "/trpc": { target: hub, ws: true },
      "/api": hub,
      "/v1": hub,
      "/mcp": hub,
      "/docs": hub,
    },
  },
});

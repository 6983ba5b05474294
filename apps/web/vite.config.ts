import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { compression } from "vite-plugin-compression2";
import { pageFiles } from "./page-files.ts";

/** Where `pnpm --filter @soul-hub/server start` listens, for `vite` in development. */
const hub = "http://localhost:3000";

/** Without it the browser asks for the fonts only once it has laid out the first text. */
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

/** Own modules but pages and the renderer of Markdown, which is large, and hooks. */
const smallParts = /[\\/]src[\\/](?!routes[\\/]|.*markdown)|@mantine[\\/]hooks|@tanstack/;
const fields =
  /@mantine[\\/]core[\\/].*[\\/](NativeSelect|Textarea|Switch|PasswordInput|Progress)[\\/]/;

export default defineConfig({
  plugins: [
    react(),
    preloadFonts,
    pageFiles,
    compression({ algorithms: ["brotliCompress", "gzip"], threshold: 1024 }),
  ],
  build: {
    target: "es2023",
    // Inlined files would be data: URIs, which the content security policy forbids for fonts.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // One file for what every page needs: each further one waits for a connection.
            { name: "index", tags: ["$initial"], priority: 1 },
            // Cards, buttons, notes: what most pages show, with the parts of Mantine below it.
            { name: "parts", test: smallParts, minShareCount: 3, maxModuleSize: 8_000 },
            { name: "fields", test: fields },
          ],
        },
      },
    },
  },
  server: {
    proxy: { "/trpc": { target: hub, ws: true }, "/api": hub, "/docs": hub },
  },
});

import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { compression } from "vite-plugin-compression2";

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

export default defineConfig({
  plugins: [
    react(),
    preloadFonts,
    compression({ algorithms: ["brotliCompress", "gzip"], threshold: 1024 }),
  ],
  build: {
    target: "es2023",
    // Inlined files would be data: URIs, which the content security policy forbids for fonts.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: { "/trpc": { target: hub, ws: true }, "/api": hub, "/docs": hub },
  },
});

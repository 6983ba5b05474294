import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `pnpm --filter @soul-hub/server start` listens, for `vite` in development. */
const hub = "http://localhost:3000";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2023",
    // Inlined files would be data: URIs, which the content security policy forbids for fonts.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: { "/trpc": { target: hub, ws: true }, "/api": hub, "/docs": hub },
  },
});

import path from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { groups } from "./chunks.ts";

/** The server puts the nonce of each answer where this stands (src/api/console-files.ts). */
const NONCE = "__CSP_NONCE__";

export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [react()],
  publicDir: false,
  html: { cspNonce: NONCE },
  // `vite src/console` beside `./parley start`: the page reloads itself, the rest is the program's.
  server: {
    proxy: { "^/(api|healthz|sign-in|home|docs)": process.env.PUBLIC_URL ?? "http://127.0.0.1:8080" },
  },
  cacheDir: path.join(import.meta.dirname, "../../node_modules/.cache/vite-console"),
  build: {
    target: "es2023",
    // All know light-dark(); written out for older ones it would not follow the switch of the console.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
});

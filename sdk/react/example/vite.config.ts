import path from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** In a project of your own the package is installed; here it is what `./parley react-package` has built. */
const PACKAGE = process.env.PARLEY_REACT ?? path.join(import.meta.dirname, "../dist");

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react()],
  resolve: {
    alias: { "@parley/react": path.join(PACKAGE, "parley-react.js") },
    dedupe: ["react", "react-dom"],
  },
  cacheDir: path.join(import.meta.dirname, "../../../node_modules/.cache/vite-react-example"),
});

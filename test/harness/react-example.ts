import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "vite";
import { buildReactPackage } from "../../scripts/react-package.ts";
import { afterFile } from "./after-file.ts";

const EXAMPLE = path.resolve(import.meta.dirname, "../../sdk/react/example");
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** `@parley/react` as it is published, and the example built with it. */
export type ReactExample = {
  /** The folder of the package: `parley-react.js` and `types`. */
  package: string;
  /** The example on a site of its own: `localhost` is another site than the program's 127.0.0.1. */
  site: string;
};

export async function buildReactExample(): Promise<ReactExample> {
  const folder = await mkdtemp(path.join(tmpdir(), "parley-react-"));
  afterFile(() => rm(folder, { recursive: true, force: true }));
  const [built, page] = [path.join(folder, "package"), path.join(folder, "page")];
  await buildReactPackage(built);
  process.env.PARLEY_REACT = built;
  await build({
    configFile: path.join(EXAMPLE, "vite.config.ts"),
    configLoader: "native",
    logLevel: "warn",
    build: { outDir: page, emptyOutDir: true },
  });
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = path.join(page, pathname === "/" ? "index.html" : path.normalize(pathname));
    const content = await readFile(file).catch(() => null);
    response.writeHead(content ? 200 : 404, { "content-type": TYPES[path.extname(file)] ?? "text/plain" });
    response.end(content ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => server.close());
  return { package: built, site: `http://localhost:${(server.address() as AddressInfo).port}` };
}

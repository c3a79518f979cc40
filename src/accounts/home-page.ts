import { readFileSync } from "node:fs";
import path from "node:path";
import type { Api } from "../api/server.ts";
import { type InternalPages, isReferenceOpen } from "../config/network.ts";

/** A year: a file of another content gets another name. */
const KEPT = "public, max-age=31536000, immutable";
const FILES: [file: string, type: string][] = [
  ["inter-latin.woff2", "font/woff2"],
  ["inter-latin-ext.woff2", "font/woff2"],
  ["mark.svg", "image/svg+xml"],
];

/** The few pages of the program itself, which need no build: where to go, and signing in. */
const FOLDER = path.resolve(import.meta.dirname, "../../public/home");
const CONTENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const PAGES: [url: string, file: string, type: string][] = [
  ["/", "home.html", "text/html; charset=utf-8"],
  ["/sign-in", "sign-in.html", "text/html; charset=utf-8"],
  ["/home/home.css", "home.css", "text/css; charset=utf-8"],
  ["/home/typeface.css", "typeface.css", "text/css; charset=utf-8"],
  ["/home/home.js", "home.js", "text/javascript; charset=utf-8"],
  ["/home/sign-in.js", "sign-in.js", "text/javascript; charset=utf-8"],
  ["/home/passkey.js", "passkey.js", "text/javascript; charset=utf-8"],
];

/** The lines of home.html that lead to the API reference. */
const REFERENCE_LINKS = /^ *<a href="\/(?:docs|openapi\.json)">.*\n/gm;

export function homePageRoutes(api: Api, pages: InternalPages): void {
  for (const [url, file, type] of PAGES) {
    const text = readFileSync(path.join(FOLDER, file), "utf8");
    const content = isReferenceOpen(pages) ? text : text.replaceAll(REFERENCE_LINKS, "");
    api.server.get(url, { schema: { hide: true } }, (_request, reply) =>
      reply
        .header("content-security-policy", CONTENT_POLICY)
        .header("referrer-policy", "no-referrer")
        .type(type)
        .send(content),
    );
  }
  for (const [file, type] of FILES) {
    const content = readFileSync(path.join(FOLDER, file));
    api.server.get(`/home/${file}`, { schema: { hide: true } }, (_request, reply) =>
      reply.header("cache-control", KEPT).type(type).send(content),
    );
  }
}

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { errorText } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import { type InternalPages, isReferenceOpen } from "../config/network.ts";
import { contentType, etagOf, FOREVER, type Packed, sendPacked } from "./packed.ts";
import type { Api } from "./server.ts";

/**
 * Serves the console under /console/: hashed files that may be kept for ever, and for every other address the one page,
 * since the addresses below are the console's own. While the bundle is being made, a page that looks again.
 */
const PAGE = "index.html";
const NONCE = /__CSP_NONCE__/g;
/** What index.html says of the API reference. */
const REFERENCE_LINK = /<meta name="api-reference"[^>]*>/;
/** All in memory (some 2 MB), so that another version of the program may tidy the bundle's folder away at any time. */
type Bundle = { page: string; assets: Map<string, Packed> };
type State = { kind: "building" } | { kind: "ready"; bundle: Bundle } | { kind: "failed"; reason: string };

export function consoleRoutes(api: Api, build: Promise<string> | undefined, pages: InternalPages): void {
  let state: State = build
    ? { kind: "building" }
    : { kind: "failed", reason: "This program was started without its console." };
  build?.then(
    (folder) => {
      const { page, assets } = readBundle(folder);
      const shown = isReferenceOpen(pages) ? page : page.replace(REFERENCE_LINK, "");
      state = { kind: "ready", bundle: { page: shown, assets } };
    },
    (error) => {
      state = { kind: "failed", reason: errorText(error) };
    },
  );
  const hidden = { schema: { hide: true } };

  const page = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.type("text/html; charset=utf-8").header("cache-control", "no-store");
    reply.header("referrer-policy", "same-origin");
    const nonce = randomBase62(22);
    reply.header("content-security-policy", contentPolicy(nonce));
    switch (state.kind) {
      case "ready":
        return reply.send(state.bundle.page.replace(NONCE, nonce));
      case "building":
        return reply
          .code(503)
          .header("retry-after", 1)
          .send(notice("The console is being prepared", "A few seconds, once.", true));
      case "failed":
        return reply.code(503).send(notice("There is no console to show", state.reason, false));
    }
  };

  api.server.get("/console", hidden, page);
  api.server.get("/console/*", hidden, page);
  api.server.get<{ Params: { name: string } }>("/console/assets/:name", hidden, (request, reply) => {
    const asset = state.kind === "ready" ? state.bundle.assets.get(request.params.name) : undefined;
    return asset ? sendPacked(request, reply, asset, FOREVER) : reply.callNotFound();
  });
}

function readBundle(folder: string): Bundle {
  const files = path.join(folder, "assets");
  const names = readdirSync(files);
  const read = (name: string) => readFileSync(path.join(files, name));
  const assets = new Map<string, Packed>();
  for (const name of names) {
    if (/\.(br|gz)$/.test(name)) continue;
    const forms = names.includes(`${name}.gz`)
      ? { br: read(`${name}.br`), gzip: read(`${name}.gz`) }
      : { plain: read(name) };
    // Its name has the hash of what it holds.
    assets.set(name, { content_type: contentType(name), etag: etagOf(name), forms });
  }
  return { page: readFileSync(path.join(folder, PAGE), "utf8"), assets };
}

/**
 * Nothing runs that is not ours, and no script stands in the page. The kit of parts writes its theme into style elements,
 * which carry the nonce of the answer.
 */
const contentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    // Pictures of cards come from wherever a tool found them; a chosen file is shown before it is sent.
    "img-src 'self' https: data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);

const notice = (title: string, text: string, again: boolean): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    ${again ? '<meta http-equiv="refresh" content="1" />' : ""}
    <title>Parley</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/home/home.css" />
  </head>
  <body><main><h1>${escaped(title)}</h1><p>${escaped(text)}</p></main></body>
</html>
`;

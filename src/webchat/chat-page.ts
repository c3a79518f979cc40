import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { madeOnce } from "../api/made-once.ts";
import { ASK_FIRST, contentType, FOREVER, pack, sendPacked } from "../api/packed.ts";
import { escapeHtml } from "../api/plain-page.ts";
import type { Api } from "../api/server.ts";
import { sha256 } from "../base/crypto.ts";
import { parseAllowedOrigins } from "../channels/allowed-origins.ts";
import type { Db } from "../db/database.ts";
import { NO_ENGINES, type VoiceEngines } from "../media/voice-engines.ts";
import { directionOf, inLanguage, pageLanguage } from "./page-texts.ts";

/**
 * What a visitor of web chat sees: the page of a chat target, and the script that puts a button
 * for it on somebody's site. The page is plain files of `public/chat`; its protocol is `web-chat.ts` and `chat-socket.ts`.
 */
const FOLDER = path.join(import.meta.dirname, "../../public/chat");

/** A site names the widget without a hash: how long a change may take to reach its visitors. */
const AN_HOUR = "public, max-age=3600";

type Deps = { db: Db; engines: VoiceEngines | null };

export function chatPageRoutes(api: Api, { db, engines }: Deps): void {
  const texts = new Map(
    readdirSync(FOLDER, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, readFileSync(path.join(FOLDER, name), "utf8")]),
  );
  const assets = new Map(
    [...texts].map(([name, text]) => [name, madeOnce(() => pack(contentType(name), text))]),
  );
  const version = sha256([...texts].join()).slice(0, 12);
  const page = (file: string, lang: string, values: Record<string, string> = {}) =>
    fill(texts.get(file) ?? "", { version, lang, dir: directionOf(lang), ...textsOf(lang), ...values });
  const hidden = { hide: true };

  api.server.get<{ Params: { target: string }; Querystring: { language?: string | string[] } }>(
    "/chat/:target",
    // `frame-ancestors` says who may show the page in a frame, which X-Frame-Options can't say of several sites.
    { schema: hidden, helmet: { xFrameOptions: false } },
    async (request, reply) => {
      const chat = await findChatPage(db, request.params.target);
      const lang = pageLanguage([request.query.language].flat()[0], request.headers["accept-language"]);
      reply
        .type(contentType("chat.html"))
        .header("cache-control", ASK_FIRST)
        .header("vary", "accept-language");
      reply.header("content-security-policy", contentSecurityPolicy(chat?.allowed_origins ?? []));
      // A frame on somebody's site needs the site's permission (`allow`) besides.
      reply.header("permissions-policy", `microphone=(${chat?.browser_calls ? "self" : ""})`);
      if (!chat) return reply.code(404).send(page("missing.html", lang));
      const { agent_name, browser_calls } = chat;
      return page("chat.html", lang, { agent_name, ...callValues(browser_calls, engines, lang) });
    },
  );

  api.server.get<{ Params: { version: string; name: string } }>(
    "/chat/assets/:version/:name",
    { schema: hidden },
    async (request, reply) => {
      const asset = assets.get(request.params.name);
      if (!asset) return reply.callNotFound();
      // While a new release is rolled out, a page of one machine may ask another for its assets.
      const kept = request.params.version === version ? FOREVER : ASK_FIRST;
      return sendPacked(request, reply, await asset(), kept);
    },
  );

  // What pages of other sites load: the widget, and what plays and records a call of their own.
  for (const name of ["widget.js", "call-worklet.js"])
    api.server.get(
      `/chat/${name}`,
      { schema: hidden, helmet: { crossOriginResourcePolicy: { policy: "cross-origin" } } },
      async (request, reply) => {
        reply.header("access-control-allow-origin", "*");
        return sendPacked(request, reply, await assets.get(name)!(), AN_HOUR);
      },
    );
}

/** Whether the page has a Call button, what is missing here for calls, and what hears and speaks. */
function callValues(allowed: boolean, engines: VoiceEngines | null, lang: string): Record<string, string> {
  if (!allowed) return {};
  const calls_missing = engines ? (engines.missing ?? "") : NO_ENGINES;
  const call_engines = engines
    ? inLanguage(lang)
        .engines.replace("{hearing}", () => engines.hearing.name)
        .replace("{speaking}", () => engines.speaking.name)
    : "";
  return { calls: "allowed", calls_missing, call_engines };
}

/** Nothing but our own files runs here, and no text can become markup: trusted types refuse `innerHTML` altogether. */
const contentSecurityPolicy = (allowed_origins: string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Also the WebSocket of this origin.
    "connect-src 'self'",
    // Pictures of cards come from wherever a tool found them.
    "img-src 'self' https: data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    ["frame-ancestors 'self'", ...allowed_origins].join(" "),
  ].join("; ");

/** All of a language, for the page's scripts, and each for its markup. */
function textsOf(lang: string): Record<string, string> {
  const texts = inLanguage(lang);
  const named = Object.entries(texts).map(([name, text]) => [`texts.${name}`, text]);
  return { chat_texts: lang === "en" ? "" : JSON.stringify(texts), ...Object.fromEntries(named) };
}

/** Puts values where the page says `{{name}}`. */
const fill = (page: string, values: Record<string, string>): string =>
  page.replaceAll(/\{\{([\w.]+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ""));

async function findChatPage(db: Db, target: string) {
  const row = await db
    .selectFrom("channel_targets as t")
    .innerJoin("agents as a", "a.id", "t.agent_id")
    .innerJoin("channels as c", "c.id", "t.channel_id")
    .select([
      "a.name as agent_name",
      "t.browser_calls",
      sql<string | null>`c.config -> 'credentials' ->> 'allowed_origins'`.as("allowed_origins"),
    ])
    .where("t.target", "=", target)
    .where("t.target_mode", "=", "chat")
    .where("a.deleted_at", "is", null)
    .executeTakeFirst();
  return row && { ...row, allowed_origins: parseAllowedOrigins(row.allowed_origins ?? "").origins };
}

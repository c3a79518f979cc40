import { createHash } from "node:crypto";
import { askedWait } from "../../egress/asked-wait.ts";
import type { Egress, EgressOutcome } from "../../egress/egress.ts";
import type { DocumentReader } from "../documents/document-reader.ts";
import { type FileContents, REFUSALS } from "../documents/file-outcome.ts";
import { pageAddress } from "./page-address.ts";
import { ALLOWS_ALL, MOST_ROBOTS_bytes, ROBOT, type RobotRules, robotRules, robotsTag } from "./robots.ts";

/** What is known of a page since it was read last. */
export type KnownPage = { etag: string | null; last_modified: string | null; content_hash: string | null };

export type FetchedPage =
  | {
      kind: "read";
      /** null: the page asks not to be kept, and only its links count. */
      contents: FileContents | null;
      links: string[];
      size_bytes: number;
      known: KnownPage;
    }
  | { kind: "unchanged" }
  /** The page is another one's, and this address has none of its own. */
  | { kind: "moved"; to: string | null; why: string }
  /** Nothing of it is kept: it is gone, or it is no text. */
  | { kind: "skipped"; why: string; known?: KnownPage }
  /** What was read of it before stays: it may be there again. */
  | {
      kind: "failed";
      why: string;
      /** When the site says that it wants to be asked again. */
      again_ms?: number;
    };

type Ways = { egress: Egress; documents: DocumentReader; signal: AbortSignal };

const FETCH_MS = 20_000;
const MOST_PAGE_bytes = 25 * 1024 * 1024;
const ACCEPT = "text/html,application/xhtml+xml,application/pdf,text/plain,text/markdown;q=0.9,*/*;q=0.1";

/** One page of a site, by the guarded way out, as it is now. */
export async function fetchPage(
  { egress, documents, signal }: Ways,
  address: string,
  known: KnownPage | null,
): Promise<FetchedPage> {
  const outcome = await egress.send({
    url: address,
    method: "GET",
    headers: {
      "user-agent": ROBOT,
      accept: ACCEPT,
      ...(known?.etag && { "if-none-match": known.etag }),
      ...(known?.last_modified && { "if-modified-since": known.last_modified }),
    },
    timeout_ms: FETCH_MS,
    max_response_bytes: MOST_PAGE_bytes,
    signal,
  });
  if (outcome.kind === "redirect" && outcome.status === 304 && known) return { kind: "unchanged" };
  if (outcome.kind === "redirect") return movedTo(outcome.location, address);
  if (outcome.kind !== "response") return { kind: "failed", why: whyNot(outcome) };
  const { status, headers, body } = outcome;
  if (status === 404 || status === 410) return { kind: "skipped", why: `is not there (${status})` };
  if (status >= 400) {
    const again_ms = status === 429 || status === 503 ? askedWait(headers) : null;
    return { kind: "failed", why: `answered ${status}`, ...(again_ms !== null && { again_ms }) };
  }
  if (outcome.truncated) return { kind: "skipped", why: "is larger than 25 MB" };
  const now: KnownPage = {
    etag: headers.etag?.slice(0, 500) ?? null,
    last_modified: headers["last-modified"]?.slice(0, 100) ?? null,
    content_hash: createHash("sha256").update(body).digest("base64"),
  };
  if (known?.content_hash === now.content_hash) return { kind: "unchanged" };
  return readBody(documents, { address, body, headers, known: now });
}

type Body = { address: string; body: Buffer; headers: Record<string, string>; known: KnownPage };

async function readBody(
  documents: DocumentReader,
  { address, body, headers, known }: Body,
): Promise<FetchedPage> {
  const type = (headers["content-type"] ?? "text/html").toLowerCase();
  const { origin, pathname } = new URL(address);
  const asked = robotsTag(headers["x-robots-tag"] ?? "");
  if (!/html/.test(type)) {
    if (!/pdf|wordprocessingml|text\/(plain|markdown)|octet-stream/.test(type)) {
      return { kind: "skipped", why: `is no page but ${type.split(";")[0]}`, known };
    }
    if (asked.noindex) return { kind: "skipped", why: "asks not to be kept", known };
    const outcome = await documents.file(body, pathname);
    if (outcome.kind === "refused") return { kind: "skipped", why: REFUSALS[outcome.why], known };
    return { kind: "read", contents: outcome, links: [], size_bytes: body.length, known };
  }
  const charset = /charset=["']?([\w-]{1,40})/.exec(type)?.[1] ?? null;
  const read = await documents.page(body, charset);
  if (!read) return { kind: "skipped", why: REFUSALS["not-text"], known };
  const { outcome, page } = read;
  const base = page.base === null ? address : (URL.parse(page.base, address)?.href ?? address);
  const links =
    page.nofollow || asked.nofollow
      ? []
      : [...new Set(page.links.flatMap((link) => pageAddress(link, base, origin) ?? []))].slice(
          0,
          MOST_LINKS,
        );
  const contents = page.noindex || asked.noindex || outcome.kind === "refused" ? null : outcome;
  return { kind: "read", contents, links, size_bytes: body.length, known };
}

/** Of one page: a sitemap in HTML has some hundreds. */
const MOST_LINKS = 1_000;

function movedTo(location: string | null, address: string): FetchedPage {
  if (location === null) return { kind: "failed", why: "leads nowhere" };
  const to = pageAddress(location, address, new URL(address).origin);
  if (to === address) return { kind: "failed", why: "leads to itself" };
  return { kind: "moved", to, why: `leads to ${location.slice(0, 500)}` };
}

function whyNot(outcome: Exclude<EgressOutcome, { kind: "response" | "redirect" }>): string {
  if (outcome.kind === "timeout") return `did not answer within ${FETCH_MS / 1000} seconds`;
  return outcome.kind === "refused"
    ? `may not be reached: ${outcome.reason}`
    : `can't be reached: ${outcome.reason}`;
}

/** What a site asks of robots; why nothing may be fetched where it can't be told. A site without the file allows all. */
export async function fetchRobots(
  { egress, signal }: Pick<Ways, "egress" | "signal">,
  origin: string,
): Promise<RobotRules | { problem: string }> {
  let url = `${origin}/robots.txt`;
  for (let hops = 0; hops < 5; hops++) {
    const outcome = await egress.send({
      url,
      method: "GET",
      headers: { "user-agent": ROBOT },
      timeout_ms: FETCH_MS,
      max_response_bytes: MOST_ROBOTS_bytes,
      signal,
    });
    if (outcome.kind === "redirect") {
      if (outcome.location === null) return ALLOWS_ALL;
      url = outcome.location;
      continue;
    }
    if (outcome.kind !== "response") return { problem: `${url} ${whyNot(outcome)}` };
    if (outcome.status >= 500 || outcome.status === 429)
      return { problem: `${url} answered ${outcome.status}` };
    return outcome.status >= 400 ? ALLOWS_ALL : robotRules(outcome.body.toString("utf8"));
  }
  return ALLOWS_ALL;
}

import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import pg from "pg";
import { Fault, type FaultKind, InvalidInput, isDiskFull, publicText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { isStatementTimeout } from "../db/database.ts";
import { hasNoPlace, isDatabaseAway } from "../db/database-away.ts";
import { isDiskShut } from "../db/disk-room.ts";
import { RepeatedFault } from "../jobs/repeated-fault.ts";
import { escapeHtml, plainPage } from "./plain-page.ts";

/** The one place where kinds of the domain become HTTP statuses. */
const STATUS: Record<FaultKind, number> = {
  "not-authenticated": 401,
  "used-up": 402,
  forbidden: 403,
  "not-found": 404,
  refused: 400,
  blocked: 412,
  conflict: 409,
  "too-large": 413,
  "wrong-media-type": 415,
  "too-many": 429,
  unsupported: 501,
  unavailable: 503,
};

/**
 * Told when it begins and once a minute, not for every request that is refused: there may be hundreds a second, and the
 * line of each request has its status.
 */
type Outages = { full: RepeatedFault; shut: RepeatedFault; away: RepeatedFault; crowded: RepeatedFault };

const createOutages = (log: Log): Outages => ({
  full: new RepeatedFault((error) => log.error({ error }, "a disk is full: what is to be stored gets a 503")),
  shut: new RepeatedFault((error) =>
    log.error({ error }, "files can't be written: what is to be stored as a file gets a 503"),
  ),
  away: new RepeatedFault((error) => log.warn({ error }, "the database does not answer requests")),
  crowded: new RepeatedFault((error) =>
    log.warn(
      { error },
      "the database has no place for the connections of requests, which get a 503: allow more, or lower DATABASE_CONNECTIONS and DATABASE_READING_CONNECTIONS",
    ),
  ),
});

type SendError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Answers whatever a request failed with. */
export function errorSender(log: Log): SendError {
  const outages = createOutages(log);
  return (error, request, reply) => {
    const { status, detail } = answerTo(error, request, reply, outages);
    reply.code(status);
    if (typeof detail !== "string" || !isShownToAPerson(request)) return reply.send({ detail });
    return reply
      .type("text/html; charset=utf-8")
      .send(plainPage("This did not work", `<p>${escapeHtml(detail)}</p>`));
  };
}

/** A page that a browser was led to, such as a chat or the link below a mail; never an answer of the API. */
const isShownToAPerson = ({ url, headers }: FastifyRequest): boolean =>
  headers["sec-fetch-dest"] === "document" && !url.startsWith("/api/");

/** Logs what an operator has to know of it. */
function answerTo(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { full, shut, away, crowded }: Outages,
): Answer {
  if (error instanceof InvalidInput) return { status: 422, detail: error.issues };
  if (error instanceof Fault) {
    if (error.internal) request.log.warn({ internal: error.internal }, error.message);
    if (error.retry_after_s !== undefined) reply.header("retry-after", Math.ceil(error.retry_after_s));
    return { status: STATUS[error.kind], detail: error.message };
  }
  if (isStatementTimeout(error)) return { status: 400, detail: TOO_LONG };
  // Its sender left in the middle of a file: the line of the request says so.
  if (error === request.raw.errored) return { status: 400, detail: BROKE_OFF };
  const known = fromFramework(error as FastifyError, request) ?? fromForm(error) ?? fromDatabase(error);
  if (known) return known;
  if (isDiskFull(error)) {
    full.failed(error, "full");
    reply.header("retry-after", 60);
    return { status: 503, detail: DISK_FULL };
  }
  if (isDiskShut(error)) {
    shut.failed(error, "shut");
    reply.header("retry-after", 60);
    return { status: 503, detail: DISK_SHUT };
  }
  const passing = passes(error);
  if (passing) {
    if (hasNoPlace(error)) crowded.failed(error);
    else if (isDatabaseAway(error)) away.failed(error);
    else request.log.warn({ err: error }, "the database could not do it now");
    reply.header("retry-after", 1);
    return { status: 503, detail: passing };
  }

  request.log.error({ err: error }, "unexpected error");
  return {
    status: 500,
    detail: `Internal server error. Quote request ${request.id} to the operator of this installation.`,
  };
}

const DISK_FULL =
  "There is no room left to store this, and nothing was changed. Tell the operator of this installation; send it again when there is room.";

const DISK_SHUT =
  "Files can't be stored here at the moment, and nothing was changed. Tell the operator of this installation (GET /readyz says why); send it again when it is mended.";

const BROKE_OFF = "The request broke off.";

const TOO_LONG =
  "This would take too long: there is too much to look through. Narrow it by start_datetime and end_datetime, search an exact id, or ask for fewer filters that look inside texts.";

type Answer = { status: number; detail: unknown };

function fromFramework(error: FastifyError, request: FastifyRequest): Answer | undefined {
  const status = error.statusCode;
  if (status === undefined || status < 400 || status >= 500) return undefined;
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return { status: 413, detail: larger("body", request.routeOptions.bodyLimit) };
    case "FST_REQ_FILE_TOO_LARGE":
      return { status: 413, detail: larger("file", configOf(request).max_file_bytes) };
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return { status: 415, detail: `Send the body as ${mediaTypeOf(request)}.` };
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return { status: 400, detail: "The body is not as long as its Content-Length says." };
    case "ECONNRESET":
      // Nobody is left to read it, and it is no fault of ours.
      return { status, detail: BROKE_OFF };
    default:
      // The framework's own sentences are about the request. Those of other libraries may name files and addresses.
      if (/^FST_/.test(error.code ?? "")) return { status, detail: error.message };
      return { status, detail: publicText(error, request.log, "a library refused a request") };
  }
}

/** What the operation's body is sent as; routes that are no operation take JSON. */
const mediaTypeOf = (request: FastifyRequest): string => configOf(request).media_type ?? "application/json";

const configOf = (request: FastifyRequest) =>
  (request.routeOptions.config ?? {}) as { media_type?: string; max_file_bytes?: number };

const MIB = 1024 * 1024;
const larger = (what: string, most_bytes = MIB): string =>
  `The ${what} is larger than ${most_bytes < MIB ? `${most_bytes / 1024} KB` : `${most_bytes / MIB} MB`}, the most that is accepted here.`;

/** What the parser of forms, whose errors have no codes, says of one that breaks off or whose boundary is none. */
const BROKEN_FORM = /unexpected end of multipart data|^Multipart: Boundary not found|^The needle cannot /i;

function fromForm(error: unknown): Answer | undefined {
  if (!(error instanceof Error) || !BROKEN_FORM.test(error.message)) return undefined;
  const msg = "Not readable as a form: it breaks off, or its boundary is not the one that the header names";
  return { status: 422, detail: [{ loc: ["body"], msg, type: "form_invalid" }] };
}

/** Values that pass the schema but no PostgreSQL column: the sender's mistake, never a 500. */
function fromDatabase(error: unknown): Answer | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined;
  if (error.code === "22003" || error.code === "22021" || error.code === "22P05") {
    return { status: 422, detail: [{ loc: ["body"], msg: "A value is out of range", type: "value_error" }] };
  }
  if (error.code === "23505") return { status: 400, detail: "A record with this name already exists." };
  return undefined;
}

/** Two writes in each other's way, of which PostgreSQL let the other pass. */
const IN_THE_WAY = /^(40001|40P01)$/;

/** What to tell of a fault of the database that is over soon; undefined for any other error. */
function passes(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError && IN_THE_WAY.test(error.code ?? ""))
    return "Another write got in the way of this one, and nothing was changed. Send it again.";
  if (hasNoPlace(error))
    return "The database has no connection left for this, and nothing was changed. Try again; if it goes on, tell the operator of this installation.";
  return isDatabaseAway(error) ? "The database does not answer at the moment. Try again." : undefined;
}

import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import pg from "pg";
import { Fault, type FaultKind, InvalidInput } from "../base/errors.ts";

/** The one place where kinds of the domain become HTTP statuses. */
const STATUS: Record<FaultKind, number> = {
  "not-authenticated": 401,
  forbidden: 403,
  "not-found": 404,
  refused: 400,
  blocked: 412,
  conflict: 409,
  "too-large": 413,
  "too-many": 429,
  unsupported: 501,
  unavailable: 503,
};

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof InvalidInput) return reply.code(422).send({ detail: error.issues });
  if (error instanceof Fault) {
    if (error.internal) request.log.warn({ internal: error.internal }, error.message);
    if (error.retry_after_s !== undefined) reply.header("retry-after", Math.ceil(error.retry_after_s));
    return reply.code(STATUS[error.kind]).send({ detail: error.message });
  }
  const known = fromFramework(error as FastifyError) ?? fromForm(error) ?? fromDatabase(error);
  if (known) return reply.code(known.status).send({ detail: known.detail });

  request.log.error({ err: error }, "unexpected error");
  return reply.code(500).send({
    detail: `Internal server error. Quote request ${request.id} to the operator of this installation.`,
  });
}

type Answer = { status: number; detail: unknown };

function fromFramework(error: FastifyError): Answer | undefined {
  const status = error.statusCode;
  if (status === undefined || status < 400 || status >= 500) return undefined;
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
    case "FST_REQ_FILE_TOO_LARGE":
      return { status: 413, detail: "The body is larger than this operation accepts." };
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return { status: 415, detail: "Send the body as application/json." };
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return { status: 400, detail: "The body is not as long as its Content-Length says." };
    default:
      return { status, detail: error.message };
  }
}

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

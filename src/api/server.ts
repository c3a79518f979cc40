import { STATUS_CODES } from "node:http";
import { Readable } from "node:stream";
import cookie from "@fastify/cookie";
import helmet from "@fastify/helmet";
import multipart from "@fastify/multipart";
import rateLimit from "@fastify/rate-limit";
import websocket from "@fastify/websocket";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { z } from "zod";
import { Fault } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { InternalPages } from "../config/network.ts";
import type { Tx } from "../db/database.ts";
import { asReader, asWriter, keepReading } from "../db/reading.ts";
import { answerBrokenRequest } from "./broken-requests.ts";
import { type CallLimits, createCallCounter } from "./call-limits.ts";
import { type Actor, type AuditEntry, type Caller, requirePermission, type Stamp } from "./caller.ts";
import { addressGroup } from "./client-address.ts";
import { errorSender } from "./errors.ts";
import { answeredMembers, withoutMembers } from "./input/answered-members.ts";
import { refuseUnstorableText } from "./input/body.ts";
import { addBodyParsers } from "./input/body-parsers.ts";
import { readForm, refuseForm } from "./input/form.ts";
import { refuseMisplaced } from "./input/misplaced-members.ts";
import { validator } from "./input/validator.ts";
import { guardInternalPages } from "./internal-pages.ts";
import { answerNoOperation } from "./no-operation.ts";
import { keepPersonalDataOutOfCaches } from "./no-store.ts";
import { addDocument } from "./openapi/document.ts";
import { answerSchemas, openApiSchema } from "./openapi/operation-schema.ts";
import type { Operation } from "./operation.ts";
import { knowOwnPages } from "./own-page.ts";
import { MAX_TEXT } from "./schema.ts";
import { guardSockets, SOCKET_LIMITS, socketFailed, wantsSocket } from "./sockets.ts";

type Schema = z.ZodType;
type Value<S> = S extends Schema ? z.output<S> : undefined;

type ApiCall<P, Q, B> = {
  caller: Caller;
  params: Value<P>;
  query: Value<Q>;
  body: Value<B>;
  request: FastifyRequest;
  reply: FastifyReply;
};

type Method = "get" | "post" | "put" | "delete";

/** What a room is handed to add its operations: a path, what it needs and gives, and a few lines that do it. */
export type Api = {
  [M in Method]: <
    P extends Schema | undefined = undefined,
    Q extends Schema | undefined = undefined,
    B extends Schema | undefined = undefined,
    R extends Schema | undefined = undefined,
  >(
    path: string,
    operation: Operation<P, Q, B, R>,
    handle: (call: ApiCall<P, Q, B>) => unknown,
  ) => void;
} & {
  /** Writes the audit entry of a change, in the change's own transaction. */
  audit(tx: Tx, caller: Actor, entry: AuditEntry): Promise<void>;
  /** Every permission that an operation names. */
  permissions: Set<string>;
  /** The permission of each operation, by method and path as openapi.json has it: `GET /api/v1/agents/{agent_id}`. */
  permissionOf: Map<string, string>;
  /** Calls with tokens of a sub-organization in the minute that runs, in this process. */
  tokenCalls(sub_organization_id: number): number;
  /** Who sends a request, for routes that are no operation; null without credentials, a Fault for wrong ones. */
  authenticate: Authenticate;
  /** Throws a Fault where who sent a request may not go on: what is open is not read for longer than its reader may. */
  requireStill(request: FastifyRequest, permission: string): Promise<void>;
  /** The bare server, for pages and WebSockets. */
  server: FastifyInstance;
};

/** Who makes a change that others follow, when, and how that is audited. */
export type AuditedStamp = Stamp & Pick<Api, "audit">;

/** `isUse` false: a look that keeps nobody signed in who does nothing. */
export type Authenticate = (request: FastifyRequest, how?: { isUse: boolean }) => Promise<Caller | null>;

type ServerOptions = {
  log: Log;
  /** Who sends this request; null when it carries no credentials, a Fault when they are wrong. */
  authenticate: Authenticate;
  audit(tx: Tx, caller: Actor, entry: AuditEntry): Promise<void>;
  /** The same for a read. Rejects when the entry could not be written. */
  auditRead?(caller: Actor, entry: AuditEntry): Promise<void>;
  /** Header names beside `Service-API-Key` that may carry a token. */
  apiKeyHeaders: string[];
  version: string;
  /** The address that people see. */
  publicUrl: string;
  /** Proxies in front whose X-Forwarded-For names the caller's address; limits and the audit trail go by it. */
  trustProxy: number;
  bodyLimit_bytes?: number;
  internalPages?: InternalPages;
  /** Calls of a minute by people who are signed in and by tokens; left out: as many as they like. */
  callLimits?: CallLimits;
  /** Calls with tokens in a minute that an organization allows itself; null: no more than that. */
  ownTokenCalls(sub_organization_id: number): Promise<number | null>;
  /** WebSockets open at once from one address. */
  socketsPerAddress?: number;
};

/** Of a JSON body, unless its operation takes more. Files come as forms, in pieces, with limits of their own. */
const MAX_BODY_bytes = 1024 * 1024;

export const API_KEY_HEADER = "Service-API-Key";

export async function createServer(options: ServerOptions): Promise<Api> {
  const sendError = errorSender(options.log);
  const server = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    http: { shouldUpgradeCallback: wantsSocket },
    // One line a request, with its status and time, is written by the hook of health.ts.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyLimit_bytes ?? MAX_BODY_bytes,
    // Hop 0 is whoever opened the connection.
    trustProxy: (_address: string, hop: number) => hop < options.trustProxy,
    requestIdHeader: false,
    genReqId: () => randomId(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_TEXT.path },
    frameworkErrors: sendError,
    // Longer than a load balancer's usual 60 s, so that the balancer closes first.
    keepAliveTimeout: 65_000,
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, options.log),
    // Answered below, in the shape of all other errors.
    return503OnClosing: false,
  });
  let isStopping = false;
  server.addHook("preClose", async () => {
    isStopping = true;
  });

  server.setErrorHandler(sendError);
  const permissionOf = new Map<string, string>();
  server.setNotFoundHandler(answerNoOperation(() => permissionOf.keys()));
  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    if (isStopping)
      throw new Fault("unavailable", "This server is stopping. Send it again.", { retry_after_s: 1 });
    const [path = ""] = request.url.split("?", 1);
    if (request.url.includes("%00")) refuseUnstorableText("\0", [path.includes("%00") ? "path" : "query"]);
  });
  knowOwnPages(server, options.publicUrl);
  keepPersonalDataOutOfCaches(server);
  guardInternalPages(
    server,
    options.internalPages ?? { metrics: "everyone", docs: "everyone", listen: null },
  );
  // Only the sender's body is parsed; an answer is printed as it is (parsing it costs 62 % of a list's throughput).
  server.setValidatorCompiler(({ schema, httpPart }) => validator(schema as Schema, httpPart));
  server.setSerializerCompiler(() => (value) => JSON.stringify(value));
  addBodyParsers(server);

  await server.register(helmet, { contentSecurityPolicy: false });
  await server.register(cookie);
  await server.register(multipart, { limits: { files: 1, fileSize: 50 * 1024 * 1024 } });
  await server.register(rateLimit, { global: false, errorResponseBuilder: tooMany });
  await server.register(websocket, { options: { maxPayload: 64 * 1024 }, errorHandler: socketFailed });
  guardSockets(server, {
    ...SOCKET_LIMITS,
    per_address: options.socketsPerAddress ?? SOCKET_LIMITS.per_address,
  });
  await addDocument(server, { version: options.version, key_header: API_KEY_HEADER });

  const requireCaller = async (
    request: FastifyRequest,
    permission: string,
    how?: { isUse: boolean },
  ): Promise<Caller> => {
    const caller = await options.authenticate(request, how);
    if (!caller) throw notAuthenticated(request);
    requirePermission(caller, permission);
    return caller;
  };

  const calls = options.callLimits && createCallCounter(options.callLimits);
  const permissions = new Set<string>();
  const add =
    (method: Method): Api[Method] =>
    (path, operation, handle) => {
      permissions.add(operation.permission);
      const documented = path.replaceAll(/:(\w+)/g, "{$1}");
      permissionOf.set(`${method.toUpperCase()} ${documented}`, operation.permission);
      if (operation.also_permission) permissions.add(operation.also_permission);
      const answered = method === "put" ? answeredMembers(operation.body, operation.response) : null;
      const config = {
        ...(operation.calls_per_minute && {
          rateLimit: { max: operation.calls_per_minute, timeWindow: 60_000, keyGenerator: callerKey },
        }),
        ...(operation.body_limit_values && { most_values: operation.body_limit_values }),
        ...(operation.form && {
          media_type: operation.form.type,
          max_file_bytes: operation.form.max_file_bytes,
        }),
        answers: () => answerSchemas(operation),
      };
      server.route({
        method: method.toUpperCase(),
        url: path,
        schema: openApiSchema(operation),
        ...(operation.also_wrong && {
          validatorCompiler: ({ schema, httpPart }: { schema: unknown; httpPart?: string }) =>
            validator(schema as Schema, httpPart, httpPart === "body" ? operation.also_wrong : undefined),
        }),
        ...(operation.body_limit_bytes && { bodyLimit: operation.body_limit_bytes }),
        config,
        // Before the body is read: a stranger learns nothing about what a body should look like.
        onRequest: async (request, reply) => {
          if (operation.permission === "public") return;
          const caller = await requireCaller(request, operation.permission);
          callers.set(request, caller);
          if (!calls) return;
          const own =
            caller.api_token_id === null ? null : await options.ownTokenCalls(caller.sub_organization_id);
          calls.count({ caller, is_change: method !== "get", own }, reply);
        },
        preValidation: async (request) => {
          if (operation.form) request.body = await readForm(request, operation.form);
          else refuseForm(request);
          if (operation.misplaced) refuseMisplaced(request.body, operation.misplaced);
          if (answered) request.body = withoutMembers(request.body, answered);
        },
        ...(readsOnly(method, operation) && {
          // By the callback, so that all that comes after it, the sending of the answer too, is inside.
          preHandler: (request, _reply, done) =>
            asReader(callers.get(request)?.sub_organization_id ?? request.ip, done),
          onSend: (_request, _reply, payload, done) => {
            if (payload instanceof Readable) keepReading(payload);
            done(null, payload);
          },
        }),
        handler: async (request, reply) => {
          const { params, query, body } = request;
          const call = { caller: callers.get(request), params, query, body, request, reply };
          const { opens, produces } = operation;
          const auditRead = async (answer?: unknown) => {
            if (opens === undefined || !call.caller?.audits_reads) return;
            const { resource } = opens;
            const ids =
              "ids" in opens
                ? opens.ids(answer as never)
                : [(params as Record<string, string> | undefined)?.[opens.by] ?? null];
            for (const resource_id of ids)
              await options.auditRead?.(call.caller, { action: "read", resource, resource_id });
          };
          // A file is on its way once its handler returns, so its entry is written first.
          if (produces !== undefined) await auditRead();
          const answer = await handle(call as never);
          if (produces === undefined) await auditRead(answer);
          if (reply.sent) return reply;
          reply.code(operation.status ?? 200);
          return answer === undefined && operation.status === 204 ? null : answer;
        },
      });
    };

  return {
    get: add("get"),
    post: add("post"),
    put: add("put"),
    delete: add("delete"),
    audit: options.audit,
    permissions,
    permissionOf,
    tokenCalls: (sub_organization_id) => calls?.withTokens(sub_organization_id) ?? 0,
    authenticate: options.authenticate,
    requireStill: async (request, permission) => {
      await asWriter(() => requireCaller(request, permission, { isUse: false }));
    },
    server,
  };
}

/** Most who send no token of ours send it where other APIs read it. */
const notAuthenticated = ({ headers }: FastifyRequest): Fault =>
  new Fault(
    "not-authenticated",
    headers.authorization === undefined
      ? "Not authenticated"
      : `Not authenticated: the token is read from the header ${API_KEY_HEADER}, not from Authorization`,
  );

const readsOnly = (method: Method, { reads, permission }: { reads?: true; permission: string }): boolean =>
  reads ?? (method === "get" && permission !== "public");

const callers = new WeakMap<FastifyRequest, Caller>();

const callerKey = (request: FastifyRequest): string =>
  (request.params as { session_id?: string }).session_id ?? addressGroup(request.ip);

const tooMany = (_request: FastifyRequest, context: { ttl: number; statusCode: number }) =>
  new Fault(
    "too-many",
    `${STATUS_CODES[context.statusCode]}: try again in ${Math.ceil(context.ttl / 1000)} s`,
    {
      retry_after_s: context.ttl / 1000,
    },
  );

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Api } from "../api/server.ts";
import { SIMULATOR_PREFIX, SIMULATOR_URL } from "../carriers/simulator-account.ts";
import type { RestAnswer } from "./rest-answer.ts";
import type { Simulator } from "./simulator.ts";

export function mountSimulator(api: Api, simulator: Simulator): void {
  api.server.route({
    method: ["GET", "POST", "DELETE"],
    url: `${SIMULATOR_PREFIX}*`,
    schema: { hide: true },
    handler: (request, reply) => {
      const { pathname, searchParams } = new URL(request.raw.url ?? "/", SIMULATOR_URL);
      const answer = simulator.answer({
        method: request.method,
        path: pathname.slice(SIMULATOR_PREFIX.length - 1),
        query: searchParams,
        form: fields(request),
        authorization: request.headers.authorization,
      });
      return sendAnswer(reply, answer);
    },
  });
}

const fields = (request: FastifyRequest): URLSearchParams => {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries((request.body ?? {}) as Record<string, string | string[]>)) {
    for (const each of Array.isArray(value) ? value : [value]) form.append(name, each);
  }
  return form;
};

function sendAnswer(reply: FastifyReply, answer: RestAnswer): FastifyReply {
  if ("hang" in answer) {
    reply.hijack();
    return reply;
  }
  reply.code(answer.status);
  if ("bytes" in answer) return reply.type(answer.type).send(answer.bytes);
  return reply.headers(answer.headers ?? {}).send(answer.body);
}

/** The simulator on a port of its own, for tests and benchmarks of an adapter without the platform around it. */
export async function serveSimulator(simulator: Simulator): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const answer = simulator.answer({
      method: request.method ?? "",
      path: pathname,
      query: searchParams,
      form: new URLSearchParams(body),
      authorization: request.headers.authorization,
    });
    if ("hang" in answer) return;
    if ("bytes" in answer) {
      response.writeHead(answer.status, { "content-type": answer.type }).end(answer.bytes);
      return;
    }
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

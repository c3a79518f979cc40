import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Answers a request that no route takes: 405 with the methods there are, where the path takes others, else 404.
 * `operations`: method and path of each as openapi.json has it.
 */
export function answerNoOperation(operations: () => Iterable<string>) {
  return ({ method, url }: FastifyRequest, reply: FastifyReply) => {
    const methods = methodsAt(operations(), url);
    if (methods.length === 0) return reply.code(404).send({ detail: "Not Found" });
    const detail = `${method} is not possible at this address. It takes ${methods.join(" and ")}.`;
    return reply.code(405).header("allow", methods.join(", ")).send({ detail });
  };
}

function methodsAt(operations: Iterable<string>, url: string): string[] {
  const parts = partsOf(url.split("?", 1)[0] ?? "");
  const methods = [...operations].flatMap((operation) => {
    const [method = "", path = ""] = operation.split(" ");
    const wanted = partsOf(path);
    const fits =
      wanted.length === parts.length && wanted.every((part, n) => part === parts[n] || part.startsWith("{"));
    return fits ? [method] : [];
  });
  return [...new Set(methods)].toSorted();
}

const partsOf = (path: string): string[] => path.replace(/\/$/, "").split("/");

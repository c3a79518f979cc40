import type { FastifyInstance } from "fastify";

/** Where people's data is answered: the API, chats, reports, links of mails, and the pages that one signs in on. */
const PERSONAL = /^\/(api|chat\/v1|reports|sign-in|opt-out)(\/|\?|$)/;

/** Neither a proxy nor a browser keeps what is said of people. What may be kept, such as a logo, says so itself. */
export function keepPersonalDataOutOfCaches(server: FastifyInstance): void {
  server.addHook("onSend", async (request, reply, payload) => {
    if (PERSONAL.test(request.url) && !reply.hasHeader("cache-control"))
      reply.header("cache-control", "no-store");
    return payload;
  });
}

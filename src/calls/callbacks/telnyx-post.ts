import type { FastifyReply, FastifyRequest } from "fastify";
import { loggedPath } from "../../api/logged-path.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { whyNotTelnyxs } from "../../carriers/telnyx/telnyx-events.ts";

const MAX_EVENT_BYTES = 100_000;

/** An event as it was posted: the signature is over its bytes. */
type Posted<Params> = FastifyRequest<{ Params: Params; Body: Buffer }>;

/** Receives what Telnyx posts to these paths, outside the API. */
export function receiveEvents<Params>(
  api: Api,
  paths: readonly string[],
  receive: (request: Posted<Params>, reply: FastifyReply) => unknown,
): void {
  api.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    for (const path of paths) {
      const options = { bodyLimit: MAX_EVENT_BYTES, schema: { hide: true } };
      scope.post<{ Params: Params; Body: Buffer }>(path, options, receive);
    }
  });
}

/** Whether the account with this key signed it; where it did not, the log says why. */
export function isSigned(
  { clock, log }: { clock: Clock; log: Log },
  { headers, body, url, ip }: Posted<unknown>,
  public_key: string | undefined,
): boolean {
  const { "telnyx-signature-ed25519": signature, "telnyx-timestamp": timestamp } = headers;
  const why = whyNotTelnyxs(public_key, { signature, timestamp, body }, clock.now());
  if (why === null) return true;
  log.warn({ url: loggedPath(url), address: ip, why }, "an unsigned callback was refused");
  return false;
}

export const refuseUnsigned = (reply: FastifyReply) =>
  reply.code(403).send({ detail: "This is not signed by the channel's Telnyx account." });

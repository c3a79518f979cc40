import { createAudit, createReadAudit } from "../accounts/audit/audit.ts";
import { createAuthenticate } from "../accounts/authenticate.ts";
import { type Api, createServer } from "../api/server.ts";
import { VERSION } from "../base/version.ts";
import type { AppParts } from "./parts.ts";

/** The door: who somebody is, what is written down of changes, and how much anybody may ask. */
export const openApi = ({ db, clock, log, vault, config }: AppParts): Promise<Api> =>
  createServer({
    log,
    authenticate: createAuthenticate({ db, clock, vault, apiKeyHeaders: config.api_key_headers }),
    audit: createAudit(clock),
    auditRead: createReadAudit({ db, clock }),
    apiKeyHeaders: config.api_key_headers,
    trustProxy: config.trust_proxy,
    internalPages: config.internal_pages,
    callLimits: config.call_limits,
    socketsPerAddress: config.sockets_per_address,
    version: VERSION,
  });

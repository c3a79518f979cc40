import { createAudit, createReadAudit } from "../accounts/audit/audit.ts";
import { createAuthenticate } from "../accounts/authenticate.ts";
import { createOwnLimits, type OwnLimitsReader } from "../accounts/own-limits.ts";
import { type Api, createServer } from "../api/server.ts";
import { VERSION } from "../base/version.ts";
import type { AppParts } from "./parts.ts";

/** The door: who somebody is, what is written down of changes, and how much anybody may ask. */
export async function openApi(parts: AppParts): Promise<{ api: Api; ownLimits: OwnLimitsReader }> {
  const { db, clock, log, vault, config } = parts;
  const ownLimits = createOwnLimits(parts);
  const api = await createServer({
    log,
    authenticate: createAuthenticate({ db, clock, vault, apiKeyHeaders: config.api_key_headers }),
    audit: createAudit(clock),
    auditRead: createReadAudit({ db, clock }),
    apiKeyHeaders: config.api_key_headers,
    publicUrl: config.public_url,
    trustProxy: config.trust_proxy,
    internalPages: config.internal_pages,
    callLimits: config.call_limits,
    ownTokenCalls: async (tenant) => (await ownLimits.of(tenant)).token_calls_per_minute,
    socketsPerAddress: config.sockets_per_address,
    version: VERSION,
  });
  return { api, ownLimits };
}

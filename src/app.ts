import { apiTokenRoutes } from "./accounts/api-token.ts";
import { createAudit } from "./accounts/audit.ts";
import { createAuthenticate } from "./accounts/authenticate.ts";
import { permissionRoutes } from "./accounts/permission.ts";
import { roleRoutes } from "./accounts/role.ts";
import { signInRoutes } from "./accounts/sign-in.ts";
import { serviceRoutes } from "./agents/service.ts";
import { type Api, createServer } from "./api/server.ts";
import type { Clock } from "./base/clock.ts";
import type { Vault } from "./base/crypto.ts";
import type { Log } from "./base/log.ts";
import type { Config } from "./config.ts";
import type { Db } from "./db/database.ts";

export const VERSION = "0.1.0";

export type Parts = { db: Db; clock: Clock; log: Log; vault: Vault; config: Config };

/** The composition root: the only place that knows everything there is. */
export async function createApp(parts: Parts): Promise<Api> {
  const { db, clock, log, config } = parts;
  const api = await createServer({
    log,
    authenticate: createAuthenticate({ db, clock, apiKeyHeaders: config.api_key_headers }),
    audit: createAudit(clock),
    apiKeyHeaders: config.api_key_headers,
    version: VERSION,
  });

  permissionRoutes(api);
  roleRoutes(api, parts);
  apiTokenRoutes(api, parts);
  signInRoutes(api, { db, clock, publicUrl: config.public_url });
  serviceRoutes(api, parts);
  return api;
}

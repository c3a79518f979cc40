import type { Api } from "../api/server.ts";
import { apiTokenRoutes } from "./api-token.ts";
import { auditEntryRoutes } from "./audit/audit-entry.ts";
import { auditVerificationRoutes } from "./audit/verify-trail.ts";
import { llmProviderRoutes } from "./llm-provider.ts";
import { organizationRoutes } from "./organization.ts";
import { permissionRoutes } from "./permission.ts";
import { roleRoutes } from "./role.ts";
import { myAccountRoutes } from "./sign-in/my-account.ts";
import { personFactorRoutes } from "./sign-in/person-factor.ts";
import { signInRoutes } from "./sign-in/sign-in.ts";
import { sipIpRangeRoutes } from "./sip-ip-range.ts";
import { storageRoutes } from "./storage-route.ts";
import { userRoutes } from "./user.ts";

type Deps = Parameters<typeof signInRoutes>[1] &
  Parameters<typeof userRoutes>[1] &
  Parameters<typeof organizationRoutes>[1] &
  Parameters<typeof storageRoutes>[1] &
  Parameters<typeof auditVerificationRoutes>[1] &
  Parameters<typeof llmProviderRoutes>[1];

/** Who may do what: people, roles, tokens, organizations, their model keys, and what was done. */
export function addAccounts(api: Api, deps: Deps): void {
  permissionRoutes(api);
  roleRoutes(api, deps);
  apiTokenRoutes(api, deps);
  signInRoutes(api, deps);
  myAccountRoutes(api, deps);
  personFactorRoutes(api, deps);
  userRoutes(api, deps);
  organizationRoutes(api, deps);
  storageRoutes(api, deps);
  sipIpRangeRoutes(api, deps);
  auditEntryRoutes(api, deps);
  auditVerificationRoutes(api, deps);
  llmProviderRoutes(api, deps);
}

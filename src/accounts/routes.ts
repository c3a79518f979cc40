import type { Api } from "../api/server.ts";
import { accessRulesRoutes } from "./access-rules.ts";
import { apiTokenRoutes } from "./api-token.ts";
import { auditEntryRoutes } from "./audit/audit-entry.ts";
import { auditVerificationRoutes } from "./audit/verify-trail.ts";
import { llmProviderRoutes } from "./llm-provider.ts";
import { organizationRoutes } from "./organization.ts";
import { permissionRoutes } from "./permission.ts";
import { roleRoutes } from "./role.ts";
import { safetyRulesRoutes } from "./safety-rules.ts";
import { createFactorGate } from "./sign-in/factor-gate.ts";
import { myAccountRoutes } from "./sign-in/my-account.ts";
import { myPasskeyRoutes } from "./sign-in/my-passkeys.ts";
import { passkeySignInRoutes } from "./sign-in/passkey-sign-in.ts";
import { passwordResetRoutes } from "./sign-in/password-reset.ts";
import { personFactorRoutes } from "./sign-in/person-factor.ts";
import { relyingPartyOf } from "./sign-in/relying-party.ts";
import { signInRoutes } from "./sign-in/sign-in.ts";
import { createIdentityClient } from "./single-sign-on/identity-client.ts";
import { singleSignOnRoutes } from "./single-sign-on/single-sign-on.ts";
import { ssoSignInRoutes } from "./single-sign-on/sso-sign-in.ts";
import { sipIpRangeRoutes } from "./sip-ip-range.ts";
import { storageRoutes } from "./storage-route.ts";
import { userRoutes } from "./user.ts";

type Deps = Omit<Parameters<typeof signInRoutes>[1], "gate"> &
  Parameters<typeof userRoutes>[1] &
  Parameters<typeof organizationRoutes>[1] &
  Parameters<typeof storageRoutes>[1] &
  Parameters<typeof auditVerificationRoutes>[1] &
  Parameters<typeof llmProviderRoutes>[1] &
  Omit<Parameters<typeof ssoSignInRoutes>[1], "identity">;

/** Who may do what: people, roles, tokens, organizations, their model keys, and what was done. */
export function addAccounts(api: Api, deps: Deps): void {
  permissionRoutes(api);
  roleRoutes(api, deps);
  apiTokenRoutes(api, deps);
  const party = relyingPartyOf(deps.publicUrl);
  const gate = createFactorGate(api, { ...deps, party });
  signInRoutes(api, { ...deps, gate });
  passkeySignInRoutes(api, { ...deps, party, gate });
  passwordResetRoutes(api, deps);
  myAccountRoutes(api, { ...deps, gate });
  myPasskeyRoutes(api, { ...deps, party, gate });
  personFactorRoutes(api, deps);
  userRoutes(api, deps);
  organizationRoutes(api, deps);
  accessRulesRoutes(api, deps);
  const identity = createIdentityClient(deps.egress);
  singleSignOnRoutes(api, { ...deps, identity });
  ssoSignInRoutes(api, { ...deps, identity });
  safetyRulesRoutes(api, deps);
  storageRoutes(api, deps);
  sipIpRangeRoutes(api, deps);
  auditEntryRoutes(api, deps);
  auditVerificationRoutes(api, deps);
  llmProviderRoutes(api, deps);
}

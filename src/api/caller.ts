import { Fault } from "../base/errors.ts";

/** Who is asking: a person (signed in, or through an API token of theirs) acting inside one sub-organization. */
export type Caller = {
  organization_id: number;
  sub_organization_id: number;
  user_id: number;
  /** What `last_updated_by` shows. */
  email: string;
  permissions: ReadonlySet<string>;
  /** null when signed in to the console. */
  api_token_id: number | null;
  address: string | null;
  request_id: string | null;
};

export function requirePermission(caller: Caller, permission: string): void {
  if (!caller.permissions.has(permission)) throw new Fault("forbidden", `Missing permission: ${permission}`);
}

/** One entry of the audit trail: what was done to which record, and how it looked before and after. */
export type AuditEntry = {
  action: "create" | "update" | "delete" | (string & {});
  resource: string;
  resource_id: string | number | null;
  before?: unknown;
  after?: unknown;
};

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
  /** What the credential ends with, and all that is made with it; null for a person who signed in with a password. */
  bound: Bound | null;
  address: string | null;
  request_id: string | null;
  /** Whether the organization wants an audit entry of each read of what people said. */
  audits_reads?: boolean;
  /** The networks that the token it came with is used from; what is made with it is used from nowhere else. */
  networks?: string[] | null;
  /** The organization requires a second factor, and this person has none: nothing else is allowed. */
  needs_second_factor?: boolean;
};

/** Who the audit trail names: a caller, somebody who signs in, or nobody where the program does something by itself. */
export type Actor = Pick<
  Caller,
  "sub_organization_id" | "email" | "api_token_id" | "address" | "request_id"
> & {
  user_id: number | null;
};

/** An end in time and the token it comes from; `token_id` null: of no token in the database (the terminal's). */
export type Bound = {
  until: Date;
  token_id: number | null;
  /** null: all that the person's role allows. */
  permissions: string[] | null;
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

/** Who writes, and when. */
export type Stamp = { caller: Caller; at: Date };

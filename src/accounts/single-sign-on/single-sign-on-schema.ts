import { z } from "zod";
import { recordId, timestamp } from "../../api/schema.ts";
import { emailAddress } from "../user-record.ts";

const MOST_DOMAINS = 50;
const MOST_GROUPS = 200;
const domain = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .max(253)
    .regex(/^[^\s@/]+\.[^\s@/.]+$/, { error: "Input should be a domain, such as example.com" });

const issuer = () =>
  z
    .string()
    .trim()
    .max(1000)
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
      error: "Input should be an https address, such as https://login.example.com/realms/acme",
    });

const GroupRoleField = z
  .object({ group: z.string().min(1).max(500), role_id: recordId() })
  .meta({ id: "SingleSignOnRole" });

export const SingleSignOnRequest = z
  .strictObject({
    name: z.string().trim().min(1).max(100).describe("What people know it as, such as “Okta”."),
    issuer: issuer().describe(
      "The provider's issuer identifier; `/.well-known/openid-configuration` follows it.",
    ),
    client_id: z.string().trim().min(1).max(500),
    client_secret: z
      .string()
      .min(1)
      .max(1000)
      .nullish()
      .describe(
        "Left out: it stays as it is. null: none, for a public client (PKCE is always used). Never shown.",
      ),
    domains: z
      .array(domain())
      .min(1)
      .max(MOST_DOMAINS)
      .describe("E-mail domains of the organization's people. A domain leads to one organization."),
    groups_claim: z.string().trim().min(1).max(200).default("groups"),
    roles: z
      .array(GroupRoleField)
      .max(MOST_GROUPS)
      .default([])
      .describe(
        "The first line whose group a person has gives the role, at each sign-in. Empty: roles are given here.",
      ),
    default_role_id: recordId()
      .nullish()
      .describe(
        "For people in none of these groups. null: they don't get in, and nobody new does without a line.",
      ),
    is_enforced: z.boolean().default(false).describe("Passwords and sign-in links are refused."),
    break_glass: z
      .array(emailAddress())
      .max(20)
      .default([])
      .describe("People who may still use a password while `is_enforced`, for a day without the provider."),
  })
  .meta({ id: "SingleSignOnRequest" });
export type SingleSignOnRequest = z.infer<typeof SingleSignOnRequest>;

export const SingleSignOnResponse = z
  .object({
    is_set: z.boolean(),
    name: z.string().nullable(),
    issuer: z.string().nullable(),
    client_id: z.string().nullable(),
    has_client_secret: z.boolean(),
    domains: z.array(z.string()),
    groups_claim: z.string(),
    roles: z.array(GroupRoleField),
    default_role_id: z.int().nullable(),
    is_enforced: z.boolean(),
    break_glass: z.array(z.string()),
    redirect_uri: z.string().describe("Register this address with the provider."),
    start_url: z
      .string()
      .nullable()
      .describe("Begins a sign-in; a tile of the provider's portal may lead here."),
    updated_at: timestamp().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: "SingleSignOnResponse" });
export type SingleSignOnResponse = z.infer<typeof SingleSignOnResponse>;

export const SingleSignOnTest = z
  .object({
    ok: z.boolean(),
    problem: z.string().nullable().describe("Why its configuration can't be used."),
  })
  .meta({ id: "SingleSignOnTest" });

import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { file } from "../api/input/form.ts";
import { write } from "../api/resource.ts";
import { Deleted, name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { createOrganization } from "./bootstrap.ts";
import { refuseRevoked } from "./bound.ts";
import { checkedLogo, logoVersion, MAX_LOGO_BYTES } from "./logo.ts";
import { deleteOrganization, refuseOperator, restoreOrganization } from "./organization-deletion.ts";
import { createSignInLink } from "./sign-in/sign-in-code.ts";
import { splitDomains } from "./user-store.ts";

const domains = () =>
  z
    .string()
    .refine((text) => splitDomains(text).every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(domain)), {
      error: "Input should be a comma-separated list of domains such as example.com",
    })
    .nullish()
    .describe("E-mail domains that this organization's people may have, comma-separated; empty for any");

const OrganizationFields = z.object({
  display_name: name(),
  description: z.string().nullish(),
  domains: domains(),
  saml_provider_id: z.string().max(255).nullish(),
});
const OrganizationCreateForm = OrganizationFields.extend({ logo: file().describe("PNG, 120 × 120 pixels") });
const OrganizationUpdateForm = OrganizationFields.extend({
  logo: file().nullish().describe("PNG, 120 × 120 pixels; the present one stays when left out"),
  update_comments: z.string().nullish(),
});

const OrganizationResponse = z
  .object({
    display_name: z.string(),
    description: z.string().nullish(),
    domains: z.string().nullish(),
    saml_provider_id: z.string().nullish(),
    id: z.int(),
    last_updated_comments: z.string().nullish(),
    name: z.string(),
    slug: z.string().nullish(),
    last_updated: timestamp(),
    last_updated_by: z.string().nullish(),
    logo_url: z.string().nullish(),
  })
  .meta({ id: "OrganizationResponse" });
type OrganizationResponse = z.infer<typeof OrganizationResponse>;

const OrganizationCreated = OrganizationResponse.extend({
  sign_in_link: z.string().describe("Signs in its administrator, the caller, once."),
}).meta({ id: "OrganizationCreated" });

const OrganizationRestored = OrganizationResponse.extend({
  restored_targets: z.int(),
  lost_targets: z.array(z.string()).describe("Numbers and addresses that were taken in the meantime"),
}).meta({ id: "OrganizationRestored" });

type Deps = {
  db: Db;
  clock: Clock;
  publicUrl: string;
  /** Whoever may change an organization may also make another; else it is for the operator. */
  anyoneCreates: boolean;
  /** What other rooms do in the same transaction: an organization gets its tools, and goes silent when deleted. */
  onCreate(tx: Tx, administrator: Caller): Promise<void>;
  /** Resolves with the channel targets it was reached at, as `onRestore` takes them. */
  onDelete(tx: Tx, caller: Caller): Promise<unknown[]>;
  onRestore(tx: Tx, targets: unknown[]): Promise<{ restored_targets: number; lost_targets: string[] }>;
};

const PATH = "/api/v1/organizations";

export function organizationRoutes(api: Api, deps: Deps): void {
  const { db, clock, publicUrl, anyoneCreates } = deps;
  const tag = "organizations";

  const find = async (from: Db, id: number): Promise<OrganizationResponse> => {
    const { logo, ...organization } = await from
      .selectFrom("organizations")
      .select([
        "display_name",
        "description",
        "domains",
        "saml_provider_id",
        "id",
        "last_updated_comments",
        "name",
        "slug",
        "last_updated",
        "last_updated_by",
        "logo",
      ])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const logo_url = logo && `${publicUrl}${PATH}/logos/${organization.name}.png?v=${logoVersion(logo)}`;
    return { ...organization, logo_url };
  };

  const set = async (
    tx: Tx,
    caller: Caller,
    id: number,
    input: z.output<typeof OrganizationUpdateForm>,
  ): Promise<OrganizationResponse> => {
    await tx
      .updateTable("organizations")
      .set({
        display_name: input.display_name,
        description: input.description ?? null,
        domains: input.domains ?? null,
        saml_provider_id: input.saml_provider_id ?? null,
        ...(input.logo && { logo: checkedLogo(input.logo) }),
        last_updated: clock.now().toISOString(),
        last_updated_by: caller.email,
        last_updated_comments: input.update_comments ?? null,
      })
      .where("id", "=", id)
      .execute();
    return find(tx, id);
  };

  api.get(
    `${PATH}/`,
    {
      summary: "Get your organization",
      tag,
      permission: "organizations_read",
      response: OrganizationResponse,
    },
    ({ caller }) => find(db, caller.organization_id),
  );

  api.put(
    `${PATH}/`,
    {
      summary: "Update your organization",
      tag,
      permission: "organizations_write",
      body: OrganizationUpdateForm,
      form: { type: "multipart/form-data", max_file_bytes: MAX_LOGO_BYTES },
      response: OrganizationResponse,
    },
    ({ caller, body }) =>
      write(db, "Organization", async (tx) => {
        const resource_id = caller.organization_id;
        await lock(tx, resource_id);
        const before = await find(tx, resource_id);
        const after = await set(tx, caller, resource_id, body);
        await api.audit(tx, caller, { action: "update", resource: tag, resource_id, before, after });
        return after;
      }),
  );

  api.post(
    `${PATH}/`,
    {
      summary: "Create another organization",
      description:
        "It shares nothing with the caller's. The caller becomes its administrator. For the operator (`platform_admin`), unless the setting ORGANIZATION_CREATION is `everyone`.",
      tag,
      permission: anyoneCreates ? "organizations_write" : "platform_admin",
      body: OrganizationCreateForm,
      form: { type: "multipart/form-data", max_file_bytes: MAX_LOGO_BYTES },
      response: OrganizationCreated,
    },
    ({ caller, body }) =>
      write(db, "Organization", async (tx) => {
        await refuseRevoked(tx, caller);
        const { display_name } = body;
        const administrator = await createOrganization(tx, clock, { display_name, email: caller.email });
        const resource_id = administrator.organization_id;
        const after = await set(tx, caller, resource_id, body);
        await deps.onCreate(tx, administrator);
        const { sign_in_link } = await createSignInLink(tx, { clock, publicUrl }, administrator.user_id);
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id, after });
        return { ...after, sign_in_link };
      }),
  );

  api.delete(
    `${PATH}/`,
    {
      summary: "Delete your organization and all its users",
      description: "The operator can undo it for 30 days.",
      tag,
      permission: "organizations_delete",
      body: z.object({ delete_comments: z.string().nullish() }),
      form: { type: "application/x-www-form-urlencoded" },
      response: Deleted,
    },
    ({ caller, body }) =>
      write(db, "Organization", async (tx) => {
        const id = caller.organization_id;
        await refuseOperator(tx, caller);
        // Its batches are locked before it, as claims of the dialer do.
        const targets = await deps.onDelete(tx, caller);
        await lock(tx, id);
        const before = await find(tx, id);
        const comments = body.delete_comments ?? null;
        await deleteOrganization(tx, clock, { organization_id: id, comments, targets });
        await api.audit(tx, caller, { action: "delete", resource: tag, resource_id: id, before });
        return { success: true };
      }),
  );

  api.post(
    `${PATH}/:organization_id/restore`,
    {
      summary: "Restore a deleted organization",
      description:
        "For 30 days after its deletion, with its people, tokens and records. Batches stay canceled, and channel targets that somebody else has taken since stay lost.",
      tag,
      permission: "platform_admin",
      params: z.object({ organization_id: recordId() }),
      response: OrganizationRestored,
    },
    ({ caller, params }) =>
      write(db, "Organization", async (tx) => {
        const resource_id = params.organization_id;
        const targets = await deps.onRestore(tx, await restoreOrganization(tx, clock, resource_id));
        const after = await find(tx, resource_id);
        await api.audit(tx, caller, { action: "restore", resource: tag, resource_id, after });
        return { ...after, ...targets };
      }),
  );

  api.get(
    `${PATH}/logos/:file`,
    {
      summary: "Get an organization's logo",
      tag,
      permission: "public",
      hidden: true,
      params: z.object({ file: z.string().regex(/^[0-9A-Za-z]+\.png$/) }),
    },
    async ({ params, reply }) => {
      const found = await db
        .selectFrom("organizations")
        .select("logo")
        .where("name", "=", params.file.slice(0, -".png".length))
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      if (!found?.logo) throw new Fault("not-found", "There is no such logo.");
      return reply.type("image/png").header("cache-control", "public, max-age=31536000").send(found.logo);
    },
  );
}

/** The organization stays as it is until the transaction ends. Who waited while it was deleted finds it gone. */
async function lock(tx: Tx, id: number): Promise<void> {
  const { deleted_at } = await tx
    .selectFrom("organizations")
    .select("deleted_at")
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (deleted_at !== null) throw notFound("Organization", id);
}

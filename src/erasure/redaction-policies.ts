import { sql } from "kysely";
import { z } from "zod";
import { requireAgent } from "../agents/agent-store.ts";
import type { Caller } from "../api/caller.ts";
import { takeTurn } from "../api/resource.ts";
import { Deleted, integer, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { InvalidInput, notFound } from "../base/errors.ts";
import { compilePattern, PatternError } from "../base/pattern.ts";
import type { Db } from "../db/database.ts";
import { PROVIDERS } from "../llm/catalogue.ts";
import { REDACTION_KINDS } from "../redaction/find-values.ts";
import { type RedactionRules, Redactor } from "../redaction/redactor.ts";
import type { ErasureDeps } from "./erase-people.ts";

const MOST_PATTERNS = 20;
/** Of all own patterns of a policy together: each text that is stored is searched by all of them. */
const MOST_INSTRUCTIONS = 600;
const MOST_DAYS = 3_650;

const RedactionPolicyRequest = z
  .strictObject({
    kinds: z
      .array(z.enum(REDACTION_KINDS))
      .max(REDACTION_KINDS.length)
      .default([])
      .describe(
        "Payment cards (checked by Luhn), national ids (US, Canada, UK, Spain, Germany, France, Italy), bank accounts (IBAN), dates of birth, e-mail addresses, telephone numbers.",
      ),
    patterns: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[a-z][a-z\d _-]{0,29}$/)
            .describe("Stands in place of what was found."),
          pattern: z.string().min(1).max(2_000).describe("RE2."),
        }),
      )
      .max(MOST_PATTERNS)
      .default([]),
    originals_days: integer({ min: 0, max: MOST_DAYS })
      .default(0)
      .describe("Days after a session's end for which what was redacted stays, sealed. 0: one hour."),
    judge: z
      .strictObject({
        provider: z.enum(PROVIDERS),
        model: z.string().min(1).max(200),
        look_for: z
          .string()
          .trim()
          .min(3)
          .max(2_000)
          .describe("In words: names of people, addresses, illnesses."),
      })
      .nullable()
      .default(null)
      .describe(
        "A model reads each session after its end and names what else is to be taken out. Until then the session says `redaction_pending`.",
      ),
  })
  .meta({ id: "RedactionPolicyRequest" });

const RedactionPolicy = z
  .object({
    kinds: z.array(z.enum(REDACTION_KINDS)),
    patterns: z.array(z.object({ name: z.string(), pattern: z.string() })),
    originals_days: z.int(),
    judge: z.object({ provider: z.enum(PROVIDERS), model: z.string(), look_for: z.string() }).nullable(),
    updated_at: timestamp().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: "RedactionPolicy" });
type RedactionPolicy = z.infer<typeof RedactionPolicy>;

const RedactionPreviewRequest = RedactionPolicyRequest.omit({ judge: true })
  .extend({ text: z.string().max(20_000) })
  .meta({
    id: "RedactionPreviewRequest",
  });
const RedactionPreview = z
  .object({ text: z.string(), found: z.array(z.string()).describe("The kinds and patterns that matched.") })
  .meta({ id: "RedactionPreview" });

const NOTHING: RedactionPolicy = {
  kinds: [],
  patterns: [],
  originals_days: 0,
  judge: null,
  updated_at: null,
  updated_by: null,
};

const selectPolicy = async (
  db: Db,
  { organization_id }: Caller,
  agent_id: number | null,
): Promise<RedactionPolicy | undefined> => {
  const { rows } = await sql<RedactionPolicy>`
    select kinds, patterns, originals_days, judge, updated_at, last_updated_by as updated_by from redaction_policies
    where organization_id = ${organization_id} and coalesce(agent_id, 0) = ${agent_id ?? 0}`.execute(db);
  return rows[0];
};

/** What is taken out of words before they are stored: a policy for an organization, and one for an agent in its place. */
export function redactionPolicyRoutes(api: Api, { db, clock, vault }: ErasureDeps): void {
  const ours = "/api/v1/organizations/redaction";
  const agents = "/api/v1/agents/:agent_id/redaction";
  const resource = "redaction_policies";
  const params = z.object({ agent_id: recordId() });
  const APPLIES =
    "Applies to sessions that begin afterwards, before anything of them is stored. The model and tools of a running session still get the original.";

  const save = (caller: Caller, agent_id: number | null, body: RedactionRules) =>
    db.transaction().execute(async (tx) => {
      const { organization_id } = caller;
      requireUsable(body);
      await takeTurn(tx, resource, organization_id);
      const before = await selectPolicy(tx, caller, agent_id);
      await sql`
        insert into redaction_policies (organization_id, agent_id, kinds, patterns, originals_days, judge, updated_at, last_updated_by)
        values (${organization_id}, ${agent_id}::bigint, ${[...new Set(body.kinds)]}::text[],
          ${JSON.stringify(body.patterns)}::json, ${body.originals_days},
          ${body.judge ? JSON.stringify(body.judge) : null}::json, ${clock.now().toISOString()}::timestamptz, ${caller.email})
        on conflict (organization_id, coalesce(agent_id, 0)) do update set kinds = excluded.kinds,
          patterns = excluded.patterns, originals_days = excluded.originals_days, judge = excluded.judge, updated_at = excluded.updated_at,
          last_updated_by = excluded.last_updated_by`.execute(tx);
      const after = (await selectPolicy(tx, caller, agent_id)) ?? NOTHING;
      await api.audit(tx, caller, {
        action: "update",
        resource,
        resource_id: agent_id ?? "organization",
        before: before ?? null,
        after,
      });
      return after;
    });

  api.get(
    ours,
    {
      summary: "Get your organization's redaction policy",
      tag: "organizations",
      permission: "organizations_read",
      response: RedactionPolicy,
    },
    async ({ caller }) => (await selectPolicy(db, caller, null)) ?? NOTHING,
  );
  api.put(
    ours,
    {
      summary: "Replace your organization's redaction policy",
      description: `${APPLIES} An agent's own policy applies in its place.`,
      tag: "organizations",
      permission: "organizations_write",
      body: RedactionPolicyRequest,
      response: RedactionPolicy,
    },
    ({ caller, body }) => save(caller, null, body),
  );
  api.post(
    `${ours}/preview`,
    {
      summary: "Try a redaction policy on a text",
      description: "Nothing is stored.",
      tag: "organizations",
      permission: "organizations_read",
      body: RedactionPreviewRequest,
      response: RedactionPreview,
    },
    async ({ body: { text, ...rules } }) => {
      requireUsable(rules);
      const redactor = new Redactor(rules, { scope: "preview", vault, year: clock.now().getUTCFullYear() });
      const redacted = redactor.redact(text);
      return { text: redacted, found: [...new Set(redactor.takeNew().map(({ kind }) => kind))] };
    },
  );

  api.get(
    agents,
    {
      summary: "Get an agent's redaction policy",
      description: "Its own policy, or else the organization's.",
      tag: "agents",
      permission: "agents_read",
      params,
      response: RedactionPolicy,
    },
    async ({ caller, params: { agent_id } }) => {
      await requireAgent(db, caller, agent_id);
      return (await selectPolicy(db, caller, agent_id)) ?? (await selectPolicy(db, caller, null)) ?? NOTHING;
    },
  );
  api.put(
    agents,
    {
      summary: "Set an agent's own redaction policy",
      description: APPLIES,
      tag: "agents",
      permission: "organizations_write",
      params,
      body: RedactionPolicyRequest,
      response: RedactionPolicy,
    },
    async ({ caller, params: { agent_id }, body }) => {
      await requireAgent(db, caller, agent_id);
      return save(caller, agent_id, body);
    },
  );
  api.delete(
    agents,
    {
      summary: "Remove an agent's own redaction policy",
      description: "The organization's applies again.",
      tag: "agents",
      permission: "organizations_write",
      params,
      response: Deleted,
    },
    ({ caller, params: { agent_id } }) =>
      db.transaction().execute(async (tx) => {
        await requireAgent(tx, caller, agent_id);
        await takeTurn(tx, resource, caller.organization_id);
        const before = await selectPolicy(tx, caller, agent_id);
        if (!before) throw notFound("Redaction policy of agent", agent_id);
        await sql`
          delete from redaction_policies
          where organization_id = ${caller.organization_id} and agent_id = ${agent_id}`.execute(tx);
        await api.audit(tx, caller, {
          action: "delete",
          resource,
          resource_id: agent_id,
          before,
        });
        return { success: true as const };
      }),
  );
}

/** Patterns that can be compiled, don't match everywhere, and are small enough together. */
function requireUsable({ patterns }: Pick<RedactionRules, "patterns">): void {
  const names = new Set<string>();
  let instructions = 0;
  for (const [at, { name, pattern }] of patterns.entries()) {
    const refuse = (field: string, message: string) => {
      throw new InvalidInput([{ loc: ["body", "patterns", at, field], msg: message, type: "value_error" }]);
    };
    if (names.has(name)) refuse("name", "Another pattern has this name");
    names.add(name);
    try {
      const compiled = compilePattern(pattern);
      if (compiled.program.matcher("").matches()) refuse("pattern", "The pattern matches an empty text");
      instructions += compiled.instructions;
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      refuse("pattern", error.message);
    }
    if (instructions > MOST_INSTRUCTIONS) refuse("pattern", "The patterns are too large together");
  }
}

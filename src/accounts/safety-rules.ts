import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { integer, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { InvalidInput } from "../base/errors.ts";
import { compilePattern, PatternError } from "../base/pattern.ts";
import type { Db } from "../db/database.ts";
import { PROVIDERS } from "../llm/catalogue.ts";

const MOST_CHECKS = 20;
/** Of all patterns together: each sentence of an agent is searched by all of them before it is said. */
const MOST_INSTRUCTIONS = 300;
const DEFAULT_WITHHELD = "I'm sorry, I can't say that.";

const OutputRule = z
  .strictObject({
    name: z.string().trim().min(1).max(60).describe("Shown in the trace and in the event."),
    phrases: z
      .array(z.string().trim().min(2).max(200))
      .max(50)
      .default([])
      .describe("Words that are never said; case and punctuation don't matter."),
    pattern: z.string().min(1).max(2_000).nullable().default(null).describe("RE2."),
    say: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .nullable()
      .default(null)
      .describe("Said instead; null: `withheld_say`."),
  })
  .meta({ id: "OutputRule" });
export type OutputRule = z.infer<typeof OutputRule>;

const SafetyRulesRequest = z
  .strictObject({
    calls_per_tool: integer({ min: 1, max: 1_000 })
      .nullable()
      .default(null)
      .describe("Calls of one tool in a session, for tools without `max_calls_per_session`; null: no limit."),
    calls_per_session: integer({ min: 1, max: 10_000 })
      .nullable()
      .default(null)
      .describe("Calls of all tools together in a session; null: no limit."),
    yes_words: z
      .array(z.string().trim().min(1).max(40))
      .max(50)
      .default([])
      .describe(
        "Words that confirm a call, beside those known in the languages agents speak and German, Italian, Portuguese, Dutch.",
      ),
    output_rules: z.array(OutputRule).max(MOST_CHECKS).default([]),
    withhold_unknown_contacts: z
      .boolean()
      .default(false)
      .describe(
        "Phone numbers and e-mail addresses are said only if the agent's author wrote them, the person said them, they came with the campaign's request, or they are the person's own.",
      ),
    withhold_prompt_words: integer({ min: 8, max: 100 })
      .nullable()
      .default(null)
      .describe("How many words in a row from the prompt or a tool's description are withheld; null: off."),
    withheld_say: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .default(DEFAULT_WITHHELD)
      .describe("Said in place of withheld words."),
    opt_out_judge: z
      .strictObject({ provider: z.enum(PROVIDERS), model: z.string().trim().min(1).max(200) })
      .nullable()
      .default(null)
      .describe(
        "A model that decides, before the agent answers, whether a message asks not to be contacted any more in other words than STOP. It is asked only about messages that may. null: off.",
      ),
  })
  .meta({ id: "SafetyRulesRequest" });
/** As they are stored in `organizations`, and frozen with a session. */
export type SafetyRules = z.infer<typeof SafetyRulesRequest>;

const SafetyRulesResponse = z
  .object({
    calls_per_tool: z.int().nullable(),
    calls_per_session: z.int().nullable(),
    yes_words: z.array(z.string()),
    output_rules: z.array(
      z.object({
        name: z.string(),
        phrases: z.array(z.string()),
        pattern: z.string().nullable(),
        say: z.string().nullable(),
      }),
    ),
    withhold_unknown_contacts: z.boolean(),
    withhold_prompt_words: z.int().nullable(),
    withheld_say: z.string(),
    opt_out_judge: z.object({ provider: z.enum(PROVIDERS), model: z.string() }).nullable(),
    updated_at: timestamp().nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: "SafetyRulesResponse" });
type SafetyRulesResponse = z.infer<typeof SafetyRulesResponse>;

const NO_RULES: SafetyRules = SafetyRulesRequest.parse({});

async function readRules(db: Db, { organization_id }: Caller): Promise<SafetyRulesResponse> {
  const { rows } = await sql<{
    rules: SafetyRules | null;
    updated_at: string | null;
    updated_by: string | null;
  }>`
    select safety_rules as rules, safety_rules_updated_at as updated_at, safety_rules_updated_by as updated_by
    from organizations where id = ${organization_id}`.execute(db);
  const { rules = null, updated_at = null, updated_by = null } = rows[0] ?? {};
  return { ...NO_RULES, ...rules, updated_at, updated_by };
}

/** Rules as they are stored, with what was added since; null: there are none. */
export const wholeRules = (stored: SafetyRules | null): SafetyRules | null =>
  stored && { ...NO_RULES, ...stored };

/** Limits of what an organization's agents do and say, whatever a model was persuaded of. */
export function safetyRulesRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const path = "/api/v1/organizations/safety_rules";
  const tag = "organizations";

  api.get(
    path,
    {
      summary: "Get your organization's safety rules",
      tag,
      permission: "organizations_read",
      response: SafetyRulesResponse,
    },
    ({ caller }) => readRules(db, caller),
  );

  api.put(
    path,
    {
      summary: "Replace your organization's safety rules",
      description:
        "Applies to sessions that begin afterwards. Each sentence is checked before it is said; one that breaks a rule, and the rest of that answer, are replaced, and its tool calls are not made.",
      tag,
      permission: "organizations_write",
      body: SafetyRulesRequest,
      response: SafetyRulesResponse,
    },
    ({ caller, body }) =>
      db.transaction().execute(async (tx) => {
        requireUsable(body);
        const { organization_id, email } = caller;
        await sql`select id from organizations where id = ${organization_id} for no key update`.execute(tx);
        const before = await readRules(tx, caller);
        await sql`
          update organizations set safety_rules = ${JSON.stringify(body)}::json,
            safety_rules_updated_at = ${clock.now().toISOString()}::timestamptz, safety_rules_updated_by = ${email}
          where id = ${organization_id}`.execute(tx);
        const after = await readRules(tx, caller);
        await api.audit(tx, caller, {
          action: "update",
          resource: "safety_rules",
          resource_id: organization_id,
          before,
          after,
        });
        return after;
      }),
  );
}

/** Rules that find something, compile, don't match everywhere, and whose own sentences keep them all. */
function requireUsable({ output_rules, withheld_say }: SafetyRules): void {
  const names = new Set<string>();
  const sentences = [withheld_say, ...output_rules.flatMap(({ say }) => (say === null ? [] : [say]))];
  let instructions = 0;
  for (const [at, { name, phrases, pattern }] of output_rules.entries()) {
    const refuse = (field: string, message: string) => {
      throw new InvalidInput([
        { loc: ["body", "output_rules", at, field], msg: message, type: "value_error" },
      ]);
    };
    if (names.has(name)) refuse("name", "Another rule has this name");
    names.add(name);
    if (phrases.length === 0 && pattern === null) refuse("phrases", "Enter a phrase or a pattern");
    if (pattern === null) continue;
    try {
      const compiled = compilePattern(pattern, { ignoreCase: true });
      if (compiled.program.matcher("").find()) refuse("pattern", "The pattern matches an empty text");
      if (sentences.some((said) => compiled.program.matcher(said).find()))
        refuse("pattern", "The pattern matches what is said instead");
      instructions += compiled.instructions;
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      refuse("pattern", error.message);
    }
    if (instructions > MOST_INSTRUCTIONS) refuse("pattern", "The patterns are too large together");
  }
}

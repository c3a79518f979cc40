import { z } from "zod";
import { integer, name, recordId } from "../api/schema.ts";
import { TestExpectation, TestMock } from "../evaluations/test-case.ts";
import { PROVIDERS } from "../llm/catalogue.ts";

/** What a replay plays again, and with which states of the agent. */

const channel = z.enum(["voice", "chat", "sms", "email", "whatsapp"]);

export const ReplayFilter = z
  .strictObject({
    days: integer({ min: 1, max: 3_650 }).default(30).describe("Sessions that began in this many last days."),
    version: recordId().nullish().describe("Sessions that were held with this published version."),
    channel: channel.nullish(),
    end_reason: z.string().min(1).max(64).nullish().describe("How they ended, such as user, agent or idle."),
    label: z.enum(["GOOD", "OK", "BAD", "N/A"]).nullish().describe("What a person or a program rated them."),
    called: z.string().min(1).max(64).nullish().describe("Sessions in which this tool was called."),
  })
  .meta({ id: "ReplayFilter" });
export type ReplayFilter = z.infer<typeof ReplayFilter>;

const STRATA = ["none", "end_reason", "channel", "day", "version"] as const;

const ReplayCheck = z.strictObject({ name: name(), expect: TestExpectation }).meta({ id: "ReplayCheck" });
export type ReplayCheck = z.infer<typeof ReplayCheck>;

export const MAX_SESSIONS = 1_000;
const MAX_CHECKS = 20;
const MAX_MOCKS = 100;

export const ReplayRequest = z
  .strictObject({
    sessions: integer({ min: 1, max: MAX_SESSIONS }).default(100).describe("How many, at the most."),
    filter: ReplayFilter.prefault({}),
    stratify_by: z
      .enum(STRATA)
      .default("end_reason")
      .describe("Each group is drawn from in proportion to its size, and at least once."),
    seed: integer({ min: 0, max: 2_147_483_647 })
      .default(1)
      .describe("Draws the same sessions again, and seeds models that take a seed."),
    baseline: z
      .union([z.enum(["recorded", "live", "draft"]), recordId()])
      .nullish()
      .describe(
        "What the candidate is compared with. Omitted: the live version; without one, each session's own version.",
      ),
    candidate: z
      // Described, or the reference would leave it out: it drops branches that say nothing yet.
      .union([z.enum(["live", "draft"]), recordId().describe("A version.")])
      .default("draft")
      .describe("draft, live, or a version's number."),
    mocks: z
      .array(TestMock)
      .max(MAX_MOCKS)
      .default([])
      .describe("Answer calls that the recording has no answer for; the first that matches does."),
    checks: z
      .array(ReplayCheck)
      .max(MAX_CHECKS)
      .superRefine(refuseTwins)
      .default([])
      .describe("Expectations that are checked in each conversation, besides those every replay has."),
    persona: z
      .strictObject({
        model: z.strictObject({ provider: z.enum(PROVIDERS), model: z.string().min(1).max(255) }),
        manner: z.string().max(2_000).nullish(),
      })
      .nullish()
      .describe(
        "A model that plays the person from where the recording no longer fits, with what they said in it. Left out: they answer from the recording alone.",
      ),
    cost_cap_usd: z
      .number()
      .min(0)
      .nullish()
      .describe("No conversation starts after the replay has cost this much."),
  })
  .meta({ id: "ReplayRequest" });
export type ReplayRequest = z.infer<typeof ReplayRequest>;

function refuseTwins(checks: { name: string }[], context: z.RefinementCtx): void {
  for (const [at, { name }] of checks.entries()) {
    if (checks.findIndex((check) => check.name === name) < at)
      context.addIssue({ code: "custom", path: [at, "name"], message: "Two checks have this name" });
  }
}

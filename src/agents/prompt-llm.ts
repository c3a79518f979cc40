import { z } from "zod";
import { integer } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import {
  choosableLlms,
  DEFAULT_MODEL,
  DEFAULT_PROVIDER,
  findLlm,
  type LlmEntry,
  lifecycle,
  PROVIDER_NAMES,
  PROVIDERS,
} from "../llm/catalogue.ts";
import { type Issue, refuseErrors } from "../schemas/validation-issue.ts";

const PromptLlmProvider = z.enum(PROVIDERS).meta({ id: "PromptLlmProvider" });

export const PromptLlmConfig = z
  .object({
    provider: PromptLlmProvider.default(DEFAULT_PROVIDER),
    model: z.string().default(DEFAULT_MODEL).describe("For Azure, the name of the deployment."),
    version: z.string().nullable().default(null).meta({ deprecated: true, description: "Has no effect." }),
    api_version: z.string().nullable().default(null),
    temperature: z.number().min(0).max(2).nullable().default(null),
    seed: integer().nullable().default(null),
  })
  .meta({ id: "PromptLlmConfig" });
export type PromptLlmConfig = z.infer<typeof PromptLlmConfig>;

const SupportedLlm = z
  .object({
    provider: PromptLlmProvider,
    model: z.string(),
    display_name: z.string(),
    version: z.string().nullish().meta({ deprecated: true }),
    api_version: z.string().nullish(),
    deprecated: z.boolean().describe("It still answers, but its last day is known."),
    sunset_date: z.iso.date().nullish().describe("From this day on it can't be saved in a prompt."),
    removed: z.boolean(),
    fallback: z.string().nullish().describe("The model that answers in its place once it is retired."),
    status: z.enum(["active", "deprecated", "retired"]).meta({ id: "LifecycleStatus" }).nullish(),
  })
  .meta({ id: "SupportedLlm" });

/** The models of this installation and the day it is there: what a choice of model is judged by. */
export type LlmOffer = { catalogue: readonly LlmEntry[]; today: string };

export const offerAt = (catalogue: readonly LlmEntry[], clock: Clock): LlmOffer => ({
  catalogue,
  today: clock.now().toISOString().slice(0, 10),
});

/** What is wrong or odd about a choice of model, of a prompt to be saved as of one saved long ago. */
export function llmIssues(config: PromptLlmConfig, { catalogue, today }: LlmOffer): Issue[] {
  const { provider, model, temperature, seed } = config;
  const entry = findLlm(catalogue, provider, model);
  const ofModel = { path: ["llm_config", "model"], value: model };
  if (!entry) {
    const message = `Model "${model}" of ${provider} is not offered here.`;
    return [{ id: "unknown-model", severity: "error", message, ...ofModel }];
  }
  const issues: Issue[] = [];
  const status = lifecycle(entry, today);
  if (status === "retired") {
    const message = `${entry.display_name} is retired; choose another model${successor(entry)}.`;
    issues.push({ id: "retired-model", severity: "error", message, ...ofModel });
  }
  if (status === "deprecated") {
    const message = `${entry.display_name} answers only until ${entry.sunset_date}; choose another model${successor(entry)}.`;
    issues.push({ id: "deprecated-model", severity: "warning", message, ...ofModel });
  }
  if (temperature !== null && !entry.supports_temperature) {
    issues.push({
      id: "unsupported-temperature",
      severity: "warning",
      message: `${entry.display_name} takes no temperature; it is left out of calls. Set it to null.`,
      path: ["llm_config", "temperature"],
      value: temperature,
    });
  }
  if (seed !== null && !entry.supports_seed) {
    issues.push({
      id: "unsupported-seed",
      severity: "warning",
      message: `${entry.display_name} takes no seed; it is left out of calls. Set it to null.`,
      path: ["llm_config", "seed"],
      value: seed,
    });
  }
  return issues;
}

const successor = (entry: LlmEntry): string => (entry.fallback ? `, such as ${entry.fallback}` : "");

/** An unknown model is a refusal (400) that names the known ones; a retired one is an error of the input (422). */
export function refuseLlm(config: PromptLlmConfig, offer: LlmOffer): void {
  const issues = llmIssues(config, offer);
  if (issues.some(({ id }) => id === "unknown-model")) {
    const known = choosableLlms(offer.catalogue, offer.today, null)
      .filter((entry) => entry.provider === config.provider)
      .map((entry) => entry.model);
    throw new Fault(
      "refused",
      `Model "${config.model}" of ${PROVIDER_NAMES[config.provider]} is not offered here. Choose one of ${known.join(", ")}.`,
    );
  }
  refuseErrors(issues, ["body"]);
}

export function supportedLlmRoutes(
  api: Api,
  { clock, catalogue }: { clock: Clock; catalogue: readonly LlmEntry[] },
): void {
  api.get(
    "/api/v1/prompts/llms/supported",
    {
      summary: "List the models a prompt can use",
      description: "Retired models are left out, but for the one that is selected.",
      tag: "prompts",
      permission: "prompts_read",
      query: z.object({ selected_model: z.string().nullish() }),
      response: z.array(SupportedLlm),
    },
    ({ query }) => {
      const { today } = offerAt(catalogue, clock);
      return choosableLlms(catalogue, today, query.selected_model ?? null).map((entry) => {
        const status = lifecycle(entry, today);
        const { provider, model, display_name, api_version, sunset_date, removed, fallback } = entry;
        return {
          provider,
          model,
          display_name,
          version: null,
          api_version,
          deprecated: status === "deprecated",
          sunset_date,
          removed,
          fallback,
          status,
        };
      });
    },
  );
}

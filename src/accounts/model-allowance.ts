import { setTimeout } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import { catalogueOf, findLlm } from "../llm/catalogue.ts";
import { estimateTokens, messageTokens, toolTokens } from "../llm/estimate-tokens.ts";
import {
  type LanguageModel,
  ModelError,
  type ModelPart,
  type ModelRequest,
  type ModelUsage,
} from "../llm/model.ts";
import { usedCost } from "../llm/used-cost.ts";
import { type Allowance, addUsed, periodOf, untilNext_ms } from "./allowance.ts";
import { bounded, type OwnLimits, type OwnLimitsReader } from "./own-limits.ts";

const DAY_MS = 86_400_000;
/** Between two writes for a sub-organization: hundreds of answers a second share one. */
const SPACING_MS = 200;

type ModelLimits = { tokens_per_day: number; usd_per_day: number };

export type ModelAllowance = {
  /** The model, refused once its sub-organization has had its allowance of the day. */
  guard(model: LanguageModel, sub_organization_id: number): LanguageModel;
  /** Before anything else of a provider is asked (embeddings, transcripts). Throws `ModelError` "used-up". */
  admit(sub_organization_id: number, provider: string): Promise<void>;
  /** What that took. */
  count(sub_organization_id: number, took: { tokens: number; cost_usd: number }): void;
  /** Resolves once what was counted is stored, a fifth of a second later at most; before the database closes. */
  stored(): Promise<void>;
};

/** Of a sub-organization, as this process knows it. */
type KnownUse = {
  day: number;
  /** Of all processes, as of the last write. */
  stored: { tokens: number; micro_usd: number };
  /** Of this process, not written yet. */
  pending: { tokens: number; micro_usd: number };
  writing: boolean;
};

/**
 * Answers wait for no count: what an answer took is added in this process at once and to the sum of all processes behind its
 * back, at most five times a second for each sub-organization. The write brings the sum, so a process knows what the others
 * used as of its own last write. What runs at once may end a little above the allowance, and a process that is killed forgets
 * what the last fifth of a second took.
 */
export function createModelAllowance(deps: {
  db: Db;
  clock: Clock;
  log: Log;
  limits: ModelLimits;
  own: OwnLimitsReader;
}): ModelAllowance {
  const { db, clock, log, limits, own } = deps;
  const known = new Map<number, KnownUse>();
  const writes = new Set<Promise<void>>();

  const allowancesOf = async (tenant: number) => allowancesUnder(limits, await own.of(tenant));

  const today = (tenant: number): KnownUse => {
    const day = periodOf(clock.now(), DAY_MS).getTime();
    const found = known.get(tenant);
    if (found?.day === day) return found;
    const fresh = { day, stored: { ...NOTHING }, pending: { ...NOTHING }, writing: false };
    known.set(tenant, fresh);
    return fresh;
  };

  const refuse = async (tenant: number, provider: string): Promise<void> => {
    const allowances = await allowancesOf(tenant);
    const { stored, pending } = today(tenant);
    for (const kind of KINDS) {
      if (stored[kind] + pending[kind] < allowances[kind].most) continue;
      throw new ModelError("used-up", provider, allowances[kind].description, {
        retry_after_ms: untilNext_ms(clock.now(), DAY_MS),
      });
    }
  };

  const write = async (tenant: number, of: KnownUse): Promise<void> => {
    if (of.writing) return;
    of.writing = true;
    try {
      for (;;) {
        const kinds = KINDS.filter((kind) => of.pending[kind] > 0);
        if (kinds.length === 0) return;
        const allowances = await allowancesOf(tenant);
        const uses = kinds.map((kind) => ({ allowance: allowances[kind], amount: of.pending[kind] }));
        const sums = await addUsed(db, tenant, uses, clock.now());
        for (const [index, kind] of kinds.entries()) {
          of.pending[kind] -= uses[index]?.amount ?? 0;
          of.stored[kind] = sums[index] ?? of.stored[kind];
        }
        await setTimeout(SPACING_MS, undefined, { ref: false });
      }
    } catch (error) {
      // It stays pending, and is written with the next answer's.
      log.warn({ err: error, sub_organization_id: tenant }, "the use of models could not be counted");
    } finally {
      of.writing = false;
    }
  };

  const count: ModelAllowance["count"] = (tenant, { tokens, cost_usd }) => {
    const of = today(tenant);
    of.pending.tokens += tokens;
    of.pending.micro_usd += Math.ceil(cost_usd * 1e6);
    const written = write(tenant, of).finally(() => writes.delete(written));
    writes.add(written);
  };

  const countAnswer = (tenant: number, usage: ModelUsage, answered: LanguageModel): void => {
    const price = findLlm(catalogueOf(), answered.provider, answered.model)?.price ?? null;
    count(tenant, {
      tokens: (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0),
      cost_usd: price === null ? 0 : usedCost(usage, price),
    });
  };

  const guarded = (model: LanguageModel, tenant: number): LanguageModel => {
    if (model.scripted) return model;
    async function* stream(request: ModelRequest): AsyncGenerator<ModelPart> {
      await refuse(tenant, model.provider);
      let answering = model;
      let text = "";
      let usage: ModelUsage | null = null;
      const onRetry = (next: LanguageModel, why: ModelError) => {
        answering = next;
        request.onRetry?.(next, why);
      };
      try {
        for await (const part of model.stream({ ...request, onRetry })) {
          if (part.type === "text") text += part.delta;
          if (part.type === "done") usage = part.usage;
          yield part;
        }
      } finally {
        // Broken off with words out, or by a provider that doesn't count: it was paid for all the same.
        if (usage?.input_tokens != null) countAnswer(tenant, usage, answering);
        else if (usage !== null || text !== "") countAnswer(tenant, estimated(request, text), answering);
      }
    }
    return { ...model, stream, ...(model.again && { again: guarded(model.again, tenant) }) };
  };
  const stored: ModelAllowance["stored"] = async () => void (await Promise.all(writes));
  return { guard: guarded, admit: refuse, count, stored };
}

const KINDS = ["tokens", "micro_usd"] as const;
const NOTHING = { tokens: 0, micro_usd: 0 };

/** The installation's, or the lower ones that the organization sets itself. */
const allowancesUnder = (limits: ModelLimits, own: OwnLimits): Record<"tokens" | "micro_usd", Allowance> => ({
  tokens: allowanceOf("model-tokens", 1, "model tokens", limits.tokens_per_day, own.model_tokens_per_day),
  micro_usd: allowanceOf(
    "model-cost",
    1e6,
    "US dollars for models",
    limits.usd_per_day,
    own.model_usd_per_day,
  ),
});

function allowanceOf(
  name: Allowance["name"],
  scale: number,
  unit: string,
  installation: number,
  own: number | null,
): Allowance {
  const most = bounded(installation, own);
  const raise =
    most < installation
      ? "an administrator raises it (Settings, Organization, Limits)"
      : "the operator raises it (MODEL_TOKENS_PER_DAY, MODEL_USD_PER_DAY)";
  const description = `The organization's allowance of ${most} ${unit} a day is used up. Models answer again from 00:00 UTC, or once ${raise}.`;
  return { name, most: most * scale, period_ms: DAY_MS, description };
}

const estimated = ({ messages, tools }: ModelRequest, text: string): ModelUsage => ({
  input_tokens: Math.ceil(
    messages.reduce((sum, message) => sum + messageTokens(message), 0) + toolTokens(tools),
  ),
  output_tokens: Math.ceil(estimateTokens(text)),
  cached_input_tokens: null,
});

import { findLlm, type LlmEntry, SCRIPTED_MODEL } from "../llm/catalogue.ts";
import { readAnswer } from "../llm/model.ts";
import { usedCost } from "../llm/used-cost.ts";
import type { Engine } from "../sessions/engine.ts";
import { matches } from "./judge.ts";
import {
  type DialogueLine,
  offlinePersonaWords,
  personaMessages,
  personaWords,
  type TestPersona,
} from "./persona.ts";
import { recordedLines } from "./recorded-lines.ts";
import type { TestCase } from "./test-case.ts";

/** Who talks with the agent in a test. */
export type TestPlayer = {
  /** What they say to the agent's last words; null: they go. */
  next(heard: string): Promise<string | null>;
  /** What the model that plays them has cost so far; of an unknown price nothing is counted. */
  cost_usd(): number;
  notes: string[];
};

type PlayedBy = {
  engine: Engine;
  catalogue: readonly LlmEntry[];
  sub_organization_id: number;
  seed: number;
};

export async function playerOf(person: TestCase["person"], by: PlayedBy): Promise<TestPlayer> {
  if (Array.isArray(person)) return scriptPlayer(person);
  if ("goal" in person) return personaPlayer(person, by);
  return scriptPlayer(await recordedLines(by.engine.db, by.sub_organization_id, person.session));
}

type PersonLines = Extract<TestCase["person"], unknown[]>;

/** Says the lines in order, and leaves out those whose condition is not met. */
function scriptPlayer(lines: PersonLines): TestPlayer {
  const left = lines.map((line) => (typeof line === "string" ? { say: line, if: null } : line));
  return {
    async next(heard) {
      for (let line = left.shift(); line; line = left.shift())
        if (line.if == null || matches(line.if, heard)) return line.say;
      return null;
    },
    cost_usd: () => 0,
    notes: [],
  };
}

/** A model's next words don't take longer than this. */
const PATIENCE_MS = 60_000;

/** `dialogue`: what was said before the persona takes over. */
export async function personaPlayer(
  persona: TestPersona,
  { engine, catalogue, sub_organization_id, seed }: PlayedBy,
  dialogue: DialogueLine[] = [],
): Promise<TestPlayer> {
  const { model: chosen } = persona;
  if (!chosen) throw new Error("A persona needs a model.");
  const isOffline = chosen.model === SCRIPTED_MODEL;
  const model = await engine.resolveModel(sub_organization_id, { ...chosen, seed });
  const notes = isOffline
    ? ["The offline persona played the person, by simple rules."]
    : model.scripted
      ? [
          `There is no key for ${chosen.provider}: the offline persona played the person instead of ${chosen.model}, by simple rules.`,
        ]
      : [];
  const price = findLlm(catalogue, model.provider, model.model)?.price ?? null;
  if (!model.scripted && !price)
    notes.push(`The price of ${chosen.model} is not known: what the persona cost is not counted.`);
  let [cost, turns] = [0, 0];
  return {
    async next(heard) {
      if (turns++ >= persona.max_turns) return null;
      if (heard !== "") dialogue.push({ by: "agent", text: heard });
      const words = model.scripted ? offlinePersonaWords(persona, dialogue) : await ask();
      if (words !== null) dialogue.push({ by: "person", text: words });
      return words;
    },
    cost_usd: () => cost,
    notes,
  };

  async function ask(): Promise<string | null> {
    const { text, usage } = await readAnswer(model, {
      messages: personaMessages(persona, dialogue),
      tools: [],
      tool_choice: "none",
      temperature: null,
      seed,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (price) cost += usedCost(usage, price);
    return personaWords(text);
  }
}

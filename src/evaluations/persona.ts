import { z } from "zod";
import { integer } from "../api/schema.ts";
import { PROVIDERS } from "../llm/catalogue.ts";
import type { ModelMessage } from "../llm/model.ts";

/** A person whom a model plays, from a goal and a manner. */
export const TestPersona = z
  .strictObject({
    goal: z.string().min(1).max(2_000).describe('In their own words: "I need a cleaning on Thursday."'),
    manner: z
      .string()
      .max(2_000)
      .nullish()
      .describe("How they talk: in a hurry, confused, changing their mind."),
    facts: z
      .record(z.string().min(1).max(255), z.string().max(2_000))
      .default({})
      .describe('What they know, by what it is: {"phone number": "202 555 0147"}.'),
    model: z
      .strictObject({ provider: z.enum(PROVIDERS), model: z.string().min(1).max(255) })
      .nullish()
      .describe("Plays them. `scripted` is the offline persona, which follows simple rules."),
    max_turns: integer({ min: 1, max: 50 }).default(15),
  })
  .meta({ id: "TestPersona" });
export type TestPersona = z.infer<typeof TestPersona>;

export type DialogueLine = { by: "agent" | "person"; text: string };

/** What the model that plays a persona is asked. Pure. */
export function personaMessages(
  { goal, manner, facts }: TestPersona,
  dialogue: readonly DialogueLine[],
): ModelMessage[] {
  const system = [
    "You play a person who talks with the agent of a service. You are not the agent, and you don't help anybody.",
    `What you want: ${goal}`,
    ...(manner ? [`How you talk: ${manner}`] : []),
    ...(Object.keys(facts).length > 0
      ? [
          `What you know:\n${Object.entries(facts)
            .map(([name, value]) => `- ${name}: ${value}`)
            .join("\n")}`,
        ]
      : []),
    "Answer with your next words and nothing else, as a person would say or type them: short, one thing at a time. Tell only what you are asked for. Don't invent numbers, names or dates that you don't know.",
    `When you have what you want, or when you see that you won't get it, answer with ${END} and nothing else.`,
  ].join("\n");
  const opening =
    dialogue[0]?.by === "agent" ? [] : [{ role: "user" as const, text: "(The conversation begins.)" }];
  return [
    { role: "system", text: system },
    ...opening,
    ...dialogue.map(
      ({ by, text }): ModelMessage =>
        by === "agent" ? { role: "user", text } : { role: "assistant", text, calls: [] },
    ),
  ];
}

const END = "[END]";

/** null: the person goes. */
export function personaWords(answer: string): string | null {
  const words = answer.replaceAll(END, "").trim();
  return words === "" ? null : words;
}

const MOST_SHRUGS = 2;

/**
 * The offline persona: says its goal, tells a fact when the agent asks for it by its name, takes the first of what is
 * offered, agrees, and goes when nothing is asked. It shows that a case runs; it finds less than a model would. Pure.
 */
export function offlinePersonaWords(
  { goal, facts }: Pick<TestPersona, "goal" | "facts">,
  dialogue: readonly DialogueLine[],
): string | null {
  const said = dialogue.filter(({ by }) => by === "person").map(({ text }) => text);
  if (said.length === 0) return goal;
  const heard = dialogue.findLast(({ by }) => by === "agent")?.text ?? "";
  const asked = questionsIn(heard);
  if (asked === "") return said.at(-1) === GOODBYE ? null : GOODBYE;
  const fact = factAskedFor(facts, asked);
  if (fact !== null && said.filter((text) => text === fact).length < 2) return fact;
  if (/\bwhich\b|\bchoose\b|\bprefer\b/i.test(asked)) return "The first one";
  if (/^\W*(is|are|do|does|did|shall|should|may|can|could|would|will|have|yes or no)\b/i.test(asked))
    return /\banything else\b|\bhelp you with\b/i.test(asked) ? GOODBYE : "Yes, please";
  return said.filter((text) => text === SHRUG).length < MOST_SHRUGS ? SHRUG : null;
}

const GOODBYE = "No, thank you. Goodbye";
const SHRUG = "I don't know";

const questionsIn = (text: string): string =>
  (text.match(/[^.!?]*\?/g) ?? []).map((question) => question.trim()).join(" ");

/** The fact most of whose name is in the question. */
function factAskedFor(facts: Record<string, string>, asked: string): string | null {
  const words = new Set(asked.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const ranked = Object.entries(facts)
    .map(([name, value]) => {
      const own = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      return { value, share: own.filter((word) => words.has(word)).length / Math.max(1, own.length) };
    })
    .toSorted((a, b) => b.share - a.share);
  return ranked[0] && ranked[0].share > 0 ? ranked[0].value : null;
}

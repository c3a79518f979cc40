import { z } from "zod";
import type { Snapshot } from "../agents/snapshot.ts";
import { textMap } from "../api/schema.ts";
import { invalid } from "../base/errors.ts";

/** What a test conversation begins with; part of the message that starts it. */
export const TEST_START = {
  variables: textMap()
    .nullish()
    .describe("Variables that the conversation begins with, over the agent's own; at its start only."),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, "Enter a language code such as de or de-DE.")
    .nullish()
    .describe("Language that the conversation begins in; default: the agent's first. At its start only."),
  channel: z
    .enum(["chat", "sms", "whatsapp", "email", "voice"])
    .nullish()
    .describe("Channel that the conversation is held as if on, in text; default: chat. At its start only."),
};

/** `de` is the first of the agent's languages that begins with it; one that the agent doesn't have is null. */
function offeredLanguage(offered: readonly string[], wanted: string): string | null {
  if (offered.length === 0) return wanted;
  const exact = offered.find((code) => code.toLowerCase() === wanted.toLowerCase());
  const near = offered.find((code) => code.toLowerCase().startsWith(`${wanted.toLowerCase()}-`));
  return exact ?? near ?? null;
}

/** Refuses a language that the agent doesn't speak, naming those it does. */
export function languageOf(
  { language_group }: Snapshot,
  wanted: string | null | undefined,
): string | undefined {
  if (wanted == null) return undefined;
  const offered = language_group?.language_configs.map(({ language_code }) => language_code) ?? [];
  const language = offeredLanguage(offered, wanted);
  if (language !== null) return language;
  throw invalid(["body", "language"], `The agent does not speak ${wanted}. It speaks ${offered.join(", ")}.`);
}

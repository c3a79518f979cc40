import { z } from "zod";
import { textMap } from "../api/schema.ts";

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
export function offeredLanguage(offered: readonly string[], wanted: string): string | null {
  if (offered.length === 0) return wanted;
  const exact = offered.find((code) => code.toLowerCase() === wanted.toLowerCase());
  const near = offered.find((code) => code.toLowerCase().startsWith(`${wanted.toLowerCase()}-`));
  return exact ?? near ?? null;
}

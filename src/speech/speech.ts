import { z } from "zod";
import type { Issue } from "../schemas/validation-issue.ts";

/** How an agent hears; answers may carry other names, of engines that are gone. */
export const AgentSttProvider = z
  .enum([
    "Google STT V2 (Chirp 2)",
    "Deepgram Nova 3 (On-Prem)",
    "Deepgram Nova 3",
    "Google STT V2",
    "Google STT V1",
    "Deepgram Nova 2",
  ])
  .meta({ id: "AgentSttProvider" });

/** Played while a caller waits for the model; silence when there is none. */
export const AgentWaitSound = z
  .enum(["No Sound", "Keyboard 1", "Keyboard 2", "Call Center"])
  .meta({ id: "AgentWaitSound" });

/** Earlier generations of the same provider's engine, and what to use in their place. */
const SUCCESSORS: Record<string, z.infer<typeof AgentSttProvider>> = {
  "Google STT V1": "Google STT V2",
  "Deepgram Nova 2": "Deepgram Nova 3",
};

export function sttIssues(stt_provider: string | null | undefined): Issue[] {
  const successor = stt_provider ? SUCCESSORS[stt_provider] : undefined;
  if (!successor) return [];
  return [
    {
      id: "deprecated-stt-provider",
      severity: "warning",
      message: `${stt_provider} is of an older generation; choose ${successor}.`,
      path: ["stt_provider"],
      value: stt_provider,
    },
  ];
}

import type { AnswererNote } from "../../sessions/answerer.ts";

/** The note to the model about who answered its call. It names only tools that the model is offered. */
export function answererNotes(
  { answerer }: { answerer?: AnswererNote },
  offered: readonly { name: string }[],
): string[] {
  const has = (name: string) => offered.some((tool) => tool.name === name);
  switch (answerer) {
    case "SCREENER":
      return [
        "You have called, and a call screener has answered: it asks who is calling and why, for the person to read or hear. Say in one or two sentences who you are and why you call. Do not greet, ask nothing, call no tool and tell nothing private. The person may come on the line after that.",
      ];
    case "MACHINE":
      return [
        "A voicemail system has answered this call and is recording now. Leave a message with leave_voicemail; nobody can answer you.",
      ];
    case "UNKNOWN":
      return [
        `You have called, and it is not known yet who answered. Judge by the first words: for a person ${has("deliver_greeting") ? "call deliver_greeting" : "greet them"}; for a voicemail system ${has("leave_voicemail") ? "call leave_voicemail" : "end the call"}.`,
      ];
    default:
      return [];
  }
}

import type { SessionState } from "./variables.ts";

/** What a model is told of who answered its call (domain decision 20). */
export function answererNotes({ answerer }: Pick<SessionState, "answerer">): string[] {
  switch (answerer) {
    case "MACHINE":
      return [
        "A voicemail system has answered this call and is recording now. Leave a message with leave_voicemail; nobody can answer you.",
      ];
    case "UNKNOWN":
      return [
        "You have called, and it is not known yet who answered. Judge by the first words: call deliver_greeting for a person, or leave_voicemail for a voicemail system.",
      ];
    default:
      return [];
  }
}

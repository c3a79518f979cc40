/** Who answered an outbound call, as detected or guessed (calls/call-screening.ts). */
export type Answerer = "HUMAN" | "MACHINE" | "UNKNOWN";

/** As the model is told. A call screener is no answerer, because the person may still come on the line. */
export type AnswererNote = Answerer | "SCREENER";

/** The note to the model about who answered its call. */
export function answererNotes({ answerer }: { answerer?: AnswererNote }): string[] {
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
        "You have called, and it is not known yet who answered. Judge by the first words: call deliver_greeting for a person, or leave_voicemail for a voicemail system.",
      ];
    default:
      return [];
  }
}

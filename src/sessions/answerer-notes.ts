/** Who answered an outbound call, as detected or guessed (calls/call-screening.ts). */
export type Answerer = "HUMAN" | "MACHINE" | "UNKNOWN";

/** The note to the model about who answered its call. */
export function answererNotes({ answerer }: { answerer?: Answerer }): string[] {
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

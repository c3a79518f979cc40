/** Who answered an outbound call, as detected or guessed (calls/call-screening.ts). */
export type Answerer = "HUMAN" | "MACHINE" | "UNKNOWN";

/** As the model is told. A call screener is no answerer, because the person may still come on the line. */
export type AnswererNote = Answerer | "SCREENER";

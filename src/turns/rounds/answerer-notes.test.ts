import { expect, test } from "vitest";
import { answererNotes } from "./answerer-notes.ts";

test.each([
  [["deliver_greeting", "leave_voicemail"], /call deliver_greeting; .*call leave_voicemail/],
  [["deliver_greeting"], /call deliver_greeting; .*end the call/],
  [["leave_voicemail"], /greet them; .*call leave_voicemail/],
  [[], /greet them; .*end the call/],
])("a model that judges who answered and has %j is told of no other tool", (names, told) => {
  const [note] = answererNotes(
    { answerer: "UNKNOWN" },
    names.map((name) => ({ name })),
  );
  expect(note).toMatch(told);
});

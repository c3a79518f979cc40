import { expect, test } from "vitest";
import { replySubject } from "./mail-template.ts";

test.each([
  "Re: Visit",
  "AW: Visit",
  "SV: Visit",
  "RE : Visit",
  "رد: Visit",
  "השב: Visit",
  "回复：Visit",
  "Ynt: Visit",
  "Odp: Visit",
])("an answer to %j keeps its subject", (subject) => expect(replySubject(subject)).toBe(subject));

test("an answer to any other subject says once what it answers", () => {
  expect(["Visit", "Restaurant: table", ""].map(replySubject)).toEqual([
    ...["Re: Visit", "Re: Restaurant: table", "Re: your message"],
  ]);
});

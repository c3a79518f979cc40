import { expect, test } from "vitest";
import { askJudges } from "./case-judges.ts";
import type { FrozenJudge, JudgeAnswer } from "./session-judges.ts";

const judge: FrozenJudge = {
  id: 1,
  name: "Polite",
  question: "Was the agent polite?",
  tool_arguments: {},
  votes: 3,
  insight_tool_definition_id: 1,
  output: "polite",
  wanted: true,
  reason_output: null,
  calibration: { gates: true, says: "It counts.", model: "m" },
};
const said = async (answer: Partial<Extract<JudgeAnswer, { kind: "answered" }>>) => {
  const ask = async (): Promise<JudgeAnswer> => ({
    kind: "answered",
    is_yes: false,
    votes_yes: 0,
    votes_no: 3,
    votes: 3,
    reason: null,
    model: "m",
    cost_usd: null,
    ...answer,
  });
  const asked = { sub_organization_id: 1, session_id: 1, seed: 1 };
  return (await askJudges(["Polite"], { frozen: [judge], ask }, asked)).verdicts[0]?.why;
};

test("a vote that failed is not told as a no", async () => {
  expect(await said({})).toBe("Was the agent polite? No, by 3 of 3 votes.");
  expect(await said({ votes_no: 2 })).toBe("Was the agent polite? No, by 2 of 3 votes.");
  expect(await said({ is_yes: true, votes_yes: 2, votes_no: 0 })).toBe(
    "Was the agent polite? Yes, by 2 of 3 votes.",
  );
});

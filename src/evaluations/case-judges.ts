import { cutTo } from "../base/storable.ts";
import type { TestVerdict } from "./judge.ts";
import type { FrozenJudge, JudgeAnswer, SessionJudges } from "./session-judges.ts";

export type CaseJudges = { frozen: readonly FrozenJudge[]; ask: SessionJudges["ask"] };

type CaseJudged = {
  verdicts: TestVerdict[];
  notes: string[];
  /** A judge that counts gave no answer, so nothing can be said of the agent. */
  is_missing: boolean;
  cost_usd: number;
};

type JudgedSession = { sub_organization_id: number; session_id: number; seed: number };

/** What the judges of a case say of its conversation, which is over. */
export async function askJudges(
  names: readonly string[],
  { frozen, ask }: CaseJudges,
  judged: JudgedSession,
): Promise<CaseJudged> {
  const answers = await Promise.all(
    names.map(async (name) => {
      const judge = frozen.find((each) => each.name === name);
      if (!judge) throw new Error(`The run has no judge ${name}.`);
      return { judge, answer: await ask({ ...judged, judge }) };
    }),
  );
  return {
    verdicts: answers.map(({ judge, answer }) => judgeVerdict(judge, answer)),
    notes: answers.flatMap(({ judge, answer }) =>
      answer.kind === "answered" && informs(judge, answer)
        ? [`${judge.name}: ${whyInforms(judge, answer.model)}`]
        : [],
    ),
    is_missing: answers.some(({ judge, answer }) => answer.kind === "failed" && judge.calibration.gates),
    cost_usd: answers.reduce((sum, { answer }) => sum + (answer.cost_usd ?? 0), 0),
  };
}

type Answered = Extract<JudgeAnswer, { kind: "answered" }>;

/** A calibration is of one model's answers; those of another are not known to agree with anybody. */
const informs = ({ calibration }: FrozenJudge, { model }: Pick<Answered, "model">): boolean =>
  !calibration.gates || calibration.model !== model;

const whyInforms = ({ calibration }: FrozenJudge, model: string | null): string =>
  calibration.gates
    ? `It informs only: ${model ?? "no model"} answered, and it is calibrated with ${calibration.model ?? "no model"}.`
    : calibration.says;

/** Pure. */
function judgeVerdict(judge: FrozenJudge, answer: JudgeAnswer): TestVerdict {
  const expectation = `judge ${judge.name}`;
  if (answer.kind === "failed") {
    const why = cut(`It gave no answer: ${answer.message}`);
    return { expectation, passed: false, why, informs: !judge.calibration.gates };
  }
  const { is_yes, votes_yes, votes_no, votes, reason, model } = answer;
  const says = `${judge.question} ${is_yes ? "Yes" : "No"}, by ${is_yes ? votes_yes : votes_no} of ${votes} votes.`;
  return {
    expectation,
    passed: is_yes,
    why: cut(reason === null ? says : `${says} ${reason}`),
    informs: informs(judge, answer),
    votes_yes,
    votes,
    model,
  };
}

const MAX_SHOWN = 1_000;
const cut = (text: string): string => (text.length > MAX_SHOWN ? `${cutTo(text, MAX_SHOWN)}…` : text);

/** A template's survey: how likely somebody is to recommend a company, and why. */
export const SURVEY_CONTEXT = `You ask customers of {{ vars.company }} two short questions.
Follow the steps that answer_survey gives you; say what a step tells you and nothing about steps.
Whoever doesn't want to answer is thanked all the same.

The lines below are obeyed by the scripted offline model only; other models can ignore them.
\`\`\`script
after answer_survey if result.step == "ASK_WHY" -> say "I am sorry to hear that. What should we do better?"
after answer_survey if result.step == "ASK_LIKED" -> say "Thank you! What do you like best?"
after answer_survey if result.step == "THANKS" -> say "Thank you for your time. Goodbye." then call hangup
after hangup -> say ""
\`\`\`
`;

export const SURVEY_GREETING = {
  name: "Survey greeting",
  text: "Hello, this is {{ vars.company }} with two short questions. From 0 to 10, how likely are you to recommend us?",
};

const jp = (expression: string) => ({ type: "jp", expression }) as const;
const SCORES = Array.from({ length: 11 }, (_, score) => String(score));
const answer = (name: string, description: string) => [{ name, type: "string", description }];

export const survey = {
  type: "context",
  tool: {
    type: "function",
    function: {
      name: "survey_workflow",
      description: "Asks the survey",
      parameters: { type: "object", properties: {}, required: [] },
    },
  },
  context: {
    task: {
      type: "steps",
      version: "v1alpha",
      id: "survey",
      tool: { name: "answer_survey", description: "Takes down what somebody answers" },
      steps: [
        {
          id: "ASK_SCORE",
          goal: "Find out how likely they are to recommend us",
          instructions: ["Ask how likely they are to recommend us, from 0 to 10."],
          inputs: [
            {
              name: "score",
              type: "integer",
              enum: SCORES,
              description: "From 0 to 10, how likely are you to recommend us?",
            },
          ],
          on: { submit: [{ action: "save" }] },
          next: [{ id: "ASK_WHY", if: jp("score < `7`"), requires: ["score"] }, { id: "ASK_LIKED" }],
        },
        {
          id: "ASK_WHY",
          goal: "Find out what to do better",
          instructions: ["Say you are sorry, and ask what we should do better."],
          inputs: answer("better", "What should we do better?"),
          on: { submit: [{ action: "save" }] },
          next: ["THANKS"],
        },
        {
          id: "ASK_LIKED",
          goal: "Find out what they like",
          instructions: ["Thank them, and ask what they like best."],
          inputs: answer("liked", "What do you like best?"),
          on: { submit: [{ action: "save" }] },
          next: ["THANKS"],
        },
        { id: "THANKS", goal: "Say goodbye", instructions: ["Thank them for their time, and hang up."] },
      ],
    },
  },
};

import { nearest } from "../../schemas/nearest.ts";
import type { Issue } from "../../schemas/validation-issue.ts";
import { VOICES } from "../../speech/voices.ts";
import { isKnownSystemVariable, SYSTEM_VARIABLES, VOICE } from "../system-variable.ts";

/** What a template can name. */
const NAME = /^[\p{L}\p{M}\p{N}_.]+$/u;

/** Variables of an agent that have no effect where their author wants one. Pure. */
export const variableIssues = (variables: Readonly<Record<string, string>>): Issue[] =>
  Object.entries(variables).flatMap(([name, value]): Issue[] => {
    const fault = name === VOICE ? unknownVoice(value) : faultOfName(name);
    return fault
      ? [{ severity: "warning", path: ["variables", name], value: name === VOICE ? value : name, ...fault }]
      : [];
  });

type VariableFault = Pick<Issue, "id" | "message">;

function faultOfName(name: string): VariableFault | null {
  if (!NAME.test(name)) {
    const message = `No template can name "${name}". Use letters, digits, underscores and dots, no spaces.`;
    return { id: "unnamable-variable", message };
  }
  if (SYSTEM_VARIABLES.includes(name)) {
    const message = `${name} is set by the program in each session, so this value has no effect. Choose another name.`;
    return { id: "system-variable-written", message };
  }
  if (name.startsWith("vars.session.") && !isKnownSystemVariable(name)) {
    const message = `There is no system variable ${name}${nearest(name, SYSTEM_VARIABLES)}. Names that begin with vars.session. are the program's: choose another name.`;
    return { id: "unknown-system-variable", message };
  }
  // Of the system variables an agent sets only this one, so another spelling of it is no name of the author's own.
  if (name === VOICE.replace("vars.", "") || nearest(name, [VOICE])) {
    return { id: "unknown-system-variable", message: `${name} chooses no voice. Name it ${VOICE}.` };
  }
  return null;
}

/** The carrier chooses the voice then, and nothing tells of it on the call. */
function unknownVoice(name: string): VariableFault | null {
  const known = VOICES.map(({ var_name }) => var_name);
  if (known.includes(name)) return null;
  const message = `There is no voice "${name}"${nearest(name, known)}. GET /api/v1/agents/voices/available lists them as var_name.`;
  return { id: "unknown-voice", message };
}

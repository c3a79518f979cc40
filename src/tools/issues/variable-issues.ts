import type { Issue } from "../../schemas/validation-issue.ts";
import { SYSTEM_VARIABLES, VOICE } from "../system-variable.ts";

/** What a template can name. */
const NAME = /^[\p{L}\p{M}\p{N}_.]+$/u;

/** Variables of an agent that have no effect where their author wants one. Pure. */
export const variableIssues = (variables: Readonly<Record<string, string>>): Issue[] =>
  Object.keys(variables).flatMap((name): Issue[] => {
    const path = ["variables", name];
    if (SYSTEM_VARIABLES.includes(name) && name !== VOICE) {
      const message = `${name} is set by the program in each session, so this value has no effect. Choose another name.`;
      return [{ id: "system-variable-written", severity: "warning", message, path, value: name }];
    }
    if (NAME.test(name)) return [];
    const message = `No template can name "${name}". Use letters, digits, underscores and dots, no spaces.`;
    return [{ id: "unnamable-variable", severity: "warning", message, path, value: name }];
  });

/** What the four commands of configuration as code take; apart from them, so that help loads nothing. */
export const AS_CODE_FLAGS = {
  export: ["--env", "--replace", "--json"],
  plan: ["--env", "--prune", "--secrets", "--json"],
  drift: ["--env", "--prune", "--json"],
  apply: ["--env", "--prune", "--secrets", "--expect", "--json"],
};
export const AS_CODE_VALUES = ["--env", "--expect"];

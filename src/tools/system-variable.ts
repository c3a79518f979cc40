/** The one system variable that a workflow may choose. */
export const VOICE = "vars.session.voice";

/** Variables that the program sets itself. */
export const isSystemVariable = (name: string): boolean =>
  name === "vars" || (/^(vars\.)?session(\.|$)/.test(name) && name !== VOICE);

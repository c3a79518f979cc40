/** The one system variable that a workflow may choose. */
export const VOICE = "vars.session.voice";

/** Variables that the program sets itself. */
export const isSystemVariable = (name: string): boolean =>
  name === "vars" || (/^(vars\.)?session(\.|$)/.test(name) && name !== VOICE);

/** All of them; `sessions/variables.ts` gives them their values. */
export const SYSTEM_VARIABLES: readonly string[] = [
  "vars.session.id",
  "vars.session.conversation_id",
  "vars.session.agent.name",
  "vars.session.datetime",
  "vars.session.date",
  "vars.session.day_of_week",
  "vars.session.timezone",
  "vars.session.language",
  "vars.session.source",
  "vars.session.target",
  "vars.session.user",
  "vars.session.user_name",
  "vars.session.verified",
  "vars.session.claimed_user",
  "vars.session.channel",
  "vars.session.is_outbound",
  VOICE,
];

/** False for a name of the program's own that it does not have. A name that leads to some of them counts as known. */
export const isKnownSystemVariable = (name: string): boolean => {
  const full = name.startsWith("session") ? `vars.${name}` : name;
  if (full !== "vars.session" && !full.startsWith("vars.session.")) return true;
  return SYSTEM_VARIABLES.some((known) => known === full || known.startsWith(`${full}.`));
};

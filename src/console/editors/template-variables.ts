export type Variable = { name: string; about: string };

/** `{{ name }}`, as the engine reads it. */
export const TEMPLATE = /\{\{\s*([\p{L}\p{M}\p{N}_.]+)\s*\}\}/gu;

/** Variables that the program sets in every session. */
const SYSTEM_VARIABLES: readonly Variable[] = [
  { name: "vars.session.date", about: "today, in the agent's zone" },
  { name: "vars.session.day_of_week", about: "Monday …" },
  { name: "vars.session.datetime", about: "date and time" },
  { name: "vars.session.timezone", about: "of the agent" },
  { name: "vars.session.language", about: "spoken now" },
  { name: "vars.session.agent.name", about: "of the agent" },
  { name: "vars.session.channel", about: "voice, chat, sms …" },
  { name: "vars.session.source", about: "the person's address" },
  { name: "vars.session.target", about: "ours" },
  { name: "vars.session.user", about: "the person's address" },
  { name: "vars.session.verified", about: "whether the person is proven to be who they are" },
  { name: "vars.session.user_name", about: "name of a verified visitor" },
  { name: "vars.session.claimed_user", about: "who an unproven visitor says they are" },
  { name: "vars.session.is_outbound", about: "whether we reached out" },
  { name: "vars.session.id", about: "of the session" },
  { name: "vars.session.conversation_id", about: "of the conversation" },
  { name: "vars.session.voice", about: "speaking now" },
];

/** A name that only the program itself can set. */
export const isSystemName = (name: string): boolean => /^(vars\.)?session\./.test(name);

/** `foo` and `vars.foo` are the same variable; `language.mode` is the language menu. */
export function isKnown(name: string, variables: readonly Variable[]): boolean {
  if (name === "language.mode") return true;
  const bare = name.replace(/^vars\./, "");
  return variables.some(
    (variable) => variable.name === name || variable.name.replace(/^vars\./, "") === bare,
  );
}

/** All known variables, including those set by agents, without duplicates. */
export function variablesOf(
  agents: readonly { name: string; variables: Record<string, string> }[],
): Variable[] {
  const ofAgents = new Map<string, string>();
  for (const agent of agents) {
    for (const name of Object.keys(agent.variables)) {
      const key = name.startsWith("vars.") ? name : `vars.${name}`;
      if (!ofAgents.has(key)) ofAgents.set(key, `of ${agent.name}`);
    }
  }
  return [...[...ofAgents].map(([name, about]) => ({ name, about })), ...SYSTEM_VARIABLES];
}

/** The variables that a text uses but nothing sets, without duplicates. */
export function unknownNames(text: string, variables: readonly Variable[]): string[] {
  const names = [...text.matchAll(TEMPLATE)].map((match) => match[1] as string);
  return [...new Set(names)].filter((name) => !isKnown(name, variables));
}

import { z } from "zod";
import { Fault, invalid } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import type { Engine } from "../sessions/engine.ts";
import { PAGE } from "../workflows/instruction-lookup.ts";
import { readIdentityToken } from "./identity-token.ts";
import { oneLine } from "./one-line.ts";

const MOST_VARIABLES = 20;
const PageVariables = z
  .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/), z.string().max(500))
  .refine((given) => Object.keys(given).length <= MOST_VARIABLES, {
    error: `at most ${MOST_VARIABLES} variables`,
  });

/** What a page says when it opens a conversation: with whom, and for which visitor. */
export const Visit = z.object({
  client_id: z
    .string()
    .min(1)
    .max(320)
    .describe("The target of a web chat channel, such as `front-desk`: which agent answers"),
  user_id: z
    .string()
    .min(1)
    .max(320)
    .nullish()
    .describe("Who the visitor says they are: a claim, which proves nothing"),
  identity_token: z
    .string()
    .min(1)
    .max(4096)
    .nullish()
    .describe("Who the visitor is, signed by the site with the target's identity key: a JWT (HS256)"),
  variables: PageVariables.nullish().describe(
    "What the page tells the agent, as `vars.page.<name>`: claims, as whatever a page sends",
  ),
});

/** The variables of a session that its page set, under their names there. */
export function pageVariables({ variables }: z.infer<typeof Visit>): Record<string, string> | undefined {
  const given = Object.entries(variables ?? {}).map(([name, value]) => [`${PAGE}${name}`, value]);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/**
 * Who opens a chat. Without a token nobody: a name of their own making, so that what they say of themselves is never
 * taken for an address, and finds no conversation of another person.
 */
export function visitorOf(
  { vault, clock }: Engine,
  target: { target: string; sealed_identity_key: string | null },
  { user_id, identity_token }: z.infer<typeof Visit>,
) {
  if (identity_token == null) {
    const claimed_user = oneLine(user_id ?? "") || null;
    return { source: `visitor-${randomBase62(16)}`, verified: false, claimed_user, user_name: null };
  }
  if (target.sealed_identity_key === null) {
    throw invalid(["body", "identity_token"], `chat ${target.target} has no identity key to check it with`);
  }
  const read = readIdentityToken(identity_token, vault.open(target.sealed_identity_key), clock.now());
  if (!read.ok) throw invalid(["body", "identity_token"], `the identity token is refused: ${read.problem}`);
  const { user_id: source, name: user_name } = read.identity;
  return { source, verified: true, claimed_user: null, user_name };
}

export async function findTarget(engine: Engine, client_id: string) {
  const target = await engine.db
    .selectFrom("channel_targets as t")
    .innerJoin("agents as a", "a.id", "t.agent_id")
    .select([
      "t.id",
      "t.sub_organization_id",
      "t.agent_id",
      "t.target",
      "t.is_test",
      "t.sealed_identity_key",
      "t.channel_id",
      "t.browser_calls",
    ])
    .where("t.target", "=", client_id)
    .where("t.target_mode", "=", "chat")
    .where("a.deleted_at", "is", null)
    .executeTakeFirst();
  if (!target) throw new Fault("not-found", `There is no chat named ${client_id}.`);
  return target;
}

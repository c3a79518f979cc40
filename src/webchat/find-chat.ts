import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import { z } from "zod";
import { sha256 } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import { fixedStatement } from "../db/fixed-statement.ts";
import type { Engine } from "../sessions/engine.ts";
import { boundToken, requireAllowedSite, siteOf } from "./embedding-site.ts";

/** What every request about a chat says of it. */
export const chatPath = z.object({ session_id: z.string().regex(/^\d{1,15}$/) });
export const ChatToken = z.object({ token: z.string().max(200) });

export type FoundChat = {
  id: number;
  sub_organization_id: number;
  ended_at: string | null;
  channel_id: number | null;
};

/** A wrong token answers like a session that never was, and so does a right one on another site than its own. */
export async function findChat(
  engine: Engine,
  request: FastifyRequest,
  session_id: string,
  resume_token: string,
): Promise<FoundChat> {
  const id = /^\d{1,15}$/.test(session_id) ? Number(session_id) : -1;
  const site = siteOf(request);
  const [session] = await chatOf(engine.db, {
    id,
    resume_token_hash: sha256(boundToken(resume_token, site)),
  });
  if (!session) throw new Fault("not-found", "This chat does not exist, or its token is wrong.");
  await requireAllowedSite(engine.db, site, session.channel_id ?? -1);
  return session;
}

const chatOf = fixedStatement<{ id: number; resume_token_hash: string }, FoundChat>(
  ({ id, resume_token_hash }) => sql`
    select id, sub_organization_id, ended_at,
      (select channel_id from channel_targets t where t.id = sessions.channel_target_id) as channel_id
    from sessions
    where id = ${id} and resume_token_hash = ${resume_token_hash}`,
);

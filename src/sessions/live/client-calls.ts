import { sql } from "kysely";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { randomBase62 } from "../../base/ids.ts";
import type { Db } from "../../db/database.ts";
import type { Notices } from "../../db/notices.ts";

/*
 * Calls of tools that run in the visitor's page. The turn waits in one process; the page may answer to any other, also
 * after it was reloaded. So a call is a row: asked once, answered once, and settled when the turn waits no more.
 */

/** What the page answered: a result or, in words, why there is none. */
export type ClientAnswer = { result: unknown } | { error: string };

/** A call as the page is told of it. `key` names it. */
export type ClientCall = { key: string; tool_name: string; arguments: unknown; expires_at: string };

type AskedCall = {
  session_id: number;
  tool_name: string;
  arguments: Record<string, unknown>;
  timeout_s: number;
};

export type ClientCalls = {
  /** Stores the call, hands it to `tell`, and waits. null: nobody answered in time, or `signal` ended the wait. */
  ask(call: AskedCall, signal: AbortSignal, tell: (call: ClientCall) => void): Promise<ClientAnswer | null>;
  /** Those of a session that wait for an answer. */
  waiting(session_id: number): Promise<ClientCall[]>;
  /** "over": it was answered before, or came too late. */
  answer(session_id: number, key: string, answer: ClientAnswer): Promise<"taken" | "over" | "unknown">;
};

const CHANNEL = "client_tool_calls";

type Parts = { db: Db; notices: Notices; clock: Clock; vault: Vault };

export function createClientCalls({ db, notices, clock, vault }: Parts): ClientCalls {
  const waits = new Map<string, () => void>();
  let listens = false;

  /** Ends the wait for a call: its answer, and no trace of what was in it. The update waits for one that is being stored. */
  async function settle(key: string): Promise<ClientAnswer | null> {
    const { rows } = await sql<{ sealed_answer: string | null }>`
      with known as (select id, sealed_answer from client_tool_calls where key = ${key} for update)
      update client_tool_calls c
      set state = 'settled', sealed_arguments = null, sealed_answer = null
      from known where c.id = known.id
      returning known.sealed_answer`.execute(db);
    const sealed = rows[0]?.sealed_answer ?? null;
    return sealed === null ? null : JSON.parse(vault.open(sealed));
  }

  return {
    async ask({ session_id, tool_name, timeout_s, ...call }, signal, tell) {
      if (!listens) {
        listens = true;
        notices.listen(CHANNEL, {
          heard: (key) => waits.get(key)?.(),
          // A notice is only a hint. Whoever waits looks once more, and goes on waiting where nothing is there.
          missed: () => {
            for (const look of waits.values()) look();
          },
        });
      }
      const key = randomBase62(24);
      const expires = new Date(clock.now().getTime() + timeout_s * 1000);
      const expires_at = expires.toISOString();
      const answered = Promise.withResolvers<void>();
      let stored = false;
      const look = async () => {
        const wasStored = stored;
        const row = await db
          .selectFrom("client_tool_calls")
          .select("state")
          .where("key", "=", key)
          .executeTakeFirst();
        // A row that is gone is over; one that was not stored yet is not.
        if (row ? row.state !== "pending" : wasStored) answered.resolve();
      };
      const over = () => answered.resolve();
      waits.set(key, () => void look().catch(() => {}));
      const cancel = clock.wakeAt(expires, over);
      signal.addEventListener("abort", over, { once: true });
      try {
        await db
          .insertInto("client_tool_calls")
          .values({
            session_id,
            key,
            tool_name,
            expires_at,
            sealed_arguments: vault.seal(JSON.stringify(call.arguments)),
          })
          .execute();
        stored = true;
        tell({ key, tool_name, arguments: call.arguments, expires_at });
        if (signal.aborted) over();
        await answered.promise;
        return await settle(key);
      } finally {
        cancel();
        waits.delete(key);
        signal.removeEventListener("abort", over);
      }
    },

    async waiting(session_id) {
      const rows = await db
        .selectFrom("client_tool_calls")
        .select(["key", "tool_name", "sealed_arguments", "expires_at"])
        .where("session_id", "=", session_id)
        .where("state", "=", "pending")
        .where("expires_at", ">", clock.now().toISOString())
        .orderBy("id")
        .execute();
      return rows.map(({ sealed_arguments, ...row }) => ({
        ...row,
        arguments: sealed_arguments === null ? {} : JSON.parse(vault.open(sealed_arguments)),
      }));
    },

    async answer(session_id, key, answer) {
      return db.transaction().execute(async (tx) => {
        const taken = await tx
          .updateTable("client_tool_calls")
          .set({ state: "answered", sealed_answer: vault.seal(JSON.stringify(answer)) })
          .where("key", "=", key)
          .where("session_id", "=", session_id)
          .where("state", "=", "pending")
          .where("expires_at", ">", clock.now().toISOString())
          .returning("id")
          .executeTakeFirst();
        if (taken) {
          await sql`select pg_notify(${CHANNEL}, ${key})`.execute(tx);
          return "taken";
        }
        const known = await tx
          .selectFrom("client_tool_calls")
          .select("id")
          .where("key", "=", key)
          .where("session_id", "=", session_id)
          .executeTakeFirst();
        return known ? "over" : "unknown";
      });
    },
  };
}

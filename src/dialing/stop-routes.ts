import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Db, Tx } from "../db/database.ts";
import { enqueueHangUp } from "./hang-up-ringing.ts";
import { type OutreachState, readOutreachState, resumeOutreach, stopOutreach } from "./stop.ts";

const OutreachStateSchema = z
  .object({
    is_stopped: z.boolean(),
    stopped_at: timestamp().nullable(),
    stopped_by: z.string().nullable(),
    active_batches: z.int().describe("Batches of the organization that are neither paused nor over."),
    ringing_calls: z.int().describe("Calls of campaigns that are still ringing."),
  })
  .meta({ id: "OutreachState" });

const STOP = "/api/v1/outbound/stop";

/** One action that silences all campaigns of an organization, and its end. */
export function stopRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const tag = "outbound";

  api.get(
    STOP,
    {
      summary: "Get whether all outreach is stopped",
      tag,
      permission: "outbound_read",
      response: OutreachStateSchema,
    },
    ({ caller }) => readOutreachState(db, caller.organization_id),
  );

  api.post(
    STOP,
    {
      summary: "Stop all outreach of the organization",
      description:
        "Once this is answered, no campaign of the organization starts an attempt, in any sub-organization. Calls that still ring are hung up and count as no attempt of their requests; conversations under way go on. Batches keep their own `paused`.",
      tag,
      permission: "outbound_write",
      response: OutreachStateSchema,
    },
    ({ caller }) =>
      change(caller, "stop", async (tx, at) => {
        await stopOutreach(tx, { organization_id: caller.organization_id, by: caller.email, at });
        await enqueueHangUp(tx, caller.organization_id);
      }),
  );

  api.post(
    "/api/v1/outbound/resume",
    {
      summary: "Resume outreach after a stop",
      description: "Batches that were paused before the stop stay paused.",
      tag,
      permission: "outbound_write",
      response: OutreachStateSchema,
    },
    ({ caller }) =>
      change(caller, "resume", (tx, at) =>
        resumeOutreach(tx, { organization_id: caller.organization_id, by: caller.email, at }),
      ),
  );

  const change = (
    caller: Caller,
    action: "stop" | "resume",
    make: (tx: Tx, at: Date) => Promise<void>,
  ): Promise<OutreachState> =>
    db.transaction().execute(async (tx) => {
      await make(tx, clock.now());
      const after = await readOutreachState(tx, caller.organization_id);
      const { is_stopped, stopped_at, stopped_by } = after;
      await api.audit(tx, caller, {
        action,
        resource: "outreach",
        resource_id: caller.organization_id,
        after: { is_stopped, stopped_at, stopped_by },
      });
      return after;
    });
}

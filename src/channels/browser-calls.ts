import { z } from "zod";
import { write } from "../api/resource.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault, notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";

const BrowserCalls = z
  .object({
    browser_calls: z.boolean().describe("Whether visitors may call the agent by voice, from the page"),
  })
  .meta({ id: "BrowserCalls" });

/** Whether the page of a chat has a button to call its agent. Off at first: a call uses up more than a chat. */
export function browserCallsRoutes(api: Api, { db }: { db: Db }): void {
  api.put(
    "/api/v1/channels/:channel_id/targets/:target_id/browser_calls",
    {
      tag: "channels",
      permission: "channels_write",
      summary: "Allow calls by voice from the page of a chat target",
      params: z.object({ channel_id: recordId(), target_id: recordId() }),
      body: BrowserCalls,
      response: BrowserCalls,
    },
    ({ caller, params: { channel_id, target_id }, body }) =>
      write(db, "Channel target", async (tx) => {
        const before = await tx
          .selectFrom("channel_targets")
          .select(["target_mode", "browser_calls"])
          .where("id", "=", target_id)
          .where("channel_id", "=", channel_id)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .forUpdate()
          .executeTakeFirst();
        if (!before) throw notFound("Channel target", target_id);
        if (before.target_mode !== "chat") {
          throw new Fault("refused", "Only a chat target has a page to call from.");
        }
        const { browser_calls } = body;
        await tx.updateTable("channel_targets").set({ browser_calls }).where("id", "=", target_id).execute();
        await api.audit(tx, caller, {
          action: "set_browser_calls",
          resource: "channel_targets",
          resource_id: target_id,
          before: { browser_calls: before.browser_calls },
          after: { browser_calls },
        });
        return { browser_calls };
      }),
  );
}

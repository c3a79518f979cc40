import { publish } from "../../events/event.ts";
import type { Engine } from "../engine.ts";

type NotKept = {
  call: { session_id: number; sub_organization_id: number };
  /** As in `A call was not recorded`. */
  what: string;
  /** Where it still is. */
  url?: string;
};

/** The event that says that a call's recording found no room, and what to do. */
export async function tellNotKept(
  { db, clock, storage }: Engine,
  { call, what, url }: NotKept,
): Promise<void> {
  const { session_id, sub_organization_id } = call;
  const why = await storage.fullText(sub_organization_id);
  await db.transaction().execute((tx) =>
    publish(tx, sub_organization_id, [
      {
        at: clock.now(),
        source: "job",
        source_id: null,
        category: "limits",
        type: "recording-not-kept",
        description: `${what}: ${why}`,
        session_id,
        ...(url !== undefined && { attributes: { url } }),
      },
    ]),
  );
}

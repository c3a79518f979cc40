import { publicText } from "../../base/errors.ts";
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
export async function tellNotKept(engine: Engine, { what, ...notKept }: NotKept): Promise<void> {
  const why = await engine.storage.fullText(notKept.call.sub_organization_id);
  await publishNotKept(engine, { ...notKept, what: `${what}: ${why}` });
}

/** The event that says that a disk or a program's fault kept a call's recording, or a part of it, from being kept. */
export async function tellNotWritten(
  engine: Engine,
  { what, ...notKept }: NotKept,
  error: unknown,
): Promise<void> {
  const { session_id } = notKept.call;
  const why = publicText(error, engine.log.child({ session_id }), what);
  await publishNotKept(engine, { ...notKept, what: `${what}. ${why}` }).catch((fault) =>
    engine.log.error({ err: fault, session_id }, "no event could say what became of a call's recording"),
  );
}

async function publishNotKept({ db, clock }: Engine, { call, what, url }: NotKept): Promise<void> {
  const { session_id, sub_organization_id } = call;
  await db.transaction().execute((tx) =>
    publish(tx, sub_organization_id, [
      {
        at: clock.now(),
        source: "job",
        source_id: null,
        category: "limits",
        type: "recording-not-kept",
        description: what,
        session_id,
        ...(url !== undefined && { attributes: { url } }),
      },
    ]),
  );
}

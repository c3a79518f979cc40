import { sql } from "kysely";
import { readKeyVariable } from "../address-book/contact-key.ts";
import { contactSeal } from "../address-book/contact-seal.ts";
import { linkByKey } from "../address-book/link-by-key.ts";
import type { KeyedAddress } from "../address-book/merge-by-key.ts";
import type { Caller } from "../api/caller.ts";
import type { Vault } from "../base/crypto.ts";
import type { Tx } from "../db/database.ts";
import { isSealedDocument } from "../db/sealed-values.ts";
import { publish } from "../events/event.ts";

type AddedRequests = { batch_key: number; batch_id: string; after: number; at: Date };

/** Requests whose addresses are linked by one round of statements. */
const CHUNK = 20_000;

/** Sealed requests that are opened together: their variables are read whole. */
const OPENED_TOGETHER = 1_000;

/** Conflicts of one file that have an event of their own; of all there is one that counts them. */
const MOST_TOLD = 100;

/** Longer values are no keys. */
const LONGEST_KEY = 200;

/**
 * Links the addresses of requests that were just added, those of a batch beyond `after`, where the organization's key
 * variable says whose they are. Asks nothing of them where none is named. Index: primary key of requests.
 */
export async function linkRequests(
  tx: Tx,
  vault: Vault,
  caller: Caller,
  { batch_key, batch_id, after, at }: AddedRequests,
) {
  const variable = await readKeyVariable(tx, caller.organization_id);
  if (variable === null) return;
  const { sub_organization_id, email: by } = caller;
  const seal = await contactSeal(tx, vault, sub_organization_id);
  let conflicts = 0;
  for (let from = after; ; ) {
    const { rows } = await sql<Partial<KeyedAddress> & { id: number; is_sealed: boolean }>`
      select id, case when request_status <> 'INVALID' then target end as address,
        ${isSealedDocument(sql`request_variables`)} as is_sealed,
        trim(coalesce(nullif(request_variables ->> ${variable}, ''), request_variables ->> ${`vars.${variable}`})) as key
      from requests where batch_key = ${batch_key} and id > ${from} order by id limit ${CHUNK}`.execute(tx);
    const last = rows.at(-1);
    if (!last) break;
    from = last.id;
    const sealed = rows.flatMap(({ id, address, is_sealed }) => (is_sealed && address ? [id] : []));
    const sealed_keys = await sealedKeys(tx, { batch_key, variable }, sealed);
    const keyed = rows.flatMap(({ id, address, ...row }) => {
      const key = sealed_keys.get(id) ?? row.key;
      return key && address && key.length <= LONGEST_KEY ? [{ key, address }] : [];
    });
    const most_told = Math.max(0, MOST_TOLD - conflicts);
    conflicts += await linkByKey(
      tx,
      { sub_organization_id, seal, batch_id, variable, by, at, most_told },
      keyed,
    );
  }
  if (conflicts > MOST_TOLD)
    await publish(tx, sub_organization_id, [
      {
        at,
        source: "outbound",
        source_id: null,
        category: "outbound",
        type: "contact-conflict",
        description: `${conflicts} addresses of batch "${batch_id}" were not linked by ${variable}; the first ${MOST_TOLD} have an event each.`,
        attributes: { batch_id, variable, conflicts },
      },
    ]);
}

/** Keys that no statement can look for: where the organization seals, variables are stored as one sealed value. */
async function sealedKeys(
  tx: Tx,
  { batch_key, variable }: { batch_key: number; variable: string },
  ids: number[],
): Promise<Map<number, string>> {
  const keys = new Map<number, string>();
  for (let at = 0; at < ids.length; at += OPENED_TOGETHER) {
    const { rows } = await sql<{ id: number; variables: Record<string, string> }>`
      select id, request_variables as variables from requests
      where batch_key = ${batch_key} and id = any(${ids.slice(at, at + OPENED_TOGETHER)}::bigint[])`.execute(
      tx,
    );
    for (const { id, variables } of rows) {
      const own = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : "");
      // As the statement for variables in clear trims: spaces only. Linear, however many stand inside.
      keys.set(id, /[^ ](?:.*[^ ])?/su.exec(own(variable) || own(`vars.${variable}`) || "")?.[0] ?? "");
    }
  }
  return keys;
}

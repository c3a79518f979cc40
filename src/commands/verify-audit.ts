import { sql } from "kysely";
import type { AuditVerification } from "../accounts/audit/verify-trail.ts";
import { verifyTrail } from "../accounts/audit/verify-trail.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import type { Config, Secrets } from "../config.ts";
import { readSigningKeys } from "../data-keys/reseal.ts";
import type { Db } from "../db/database.ts";
import { openReadable } from "./archive/open-source.ts";
import { presentKey, secretKeyFile, vaultWith } from "./secret-key.ts";
import { INTERRUPTED, stopSignal } from "./stop-signal.ts";

type Trail = { sub_organization_id: number; name: string };
type TrailVerdict = Trail & Omit<AuditVerification, "next_position" | "checked_to">;

/** Compares each organization's audit trail with its links, whether the program runs or not. 1 when something is wrong. */
export async function verifyAudit(
  { json }: { json: boolean },
  config: Config,
  secrets: Secrets,
): Promise<number> {
  const stop = stopSignal();
  const key = await presentKey(config.data_dir, secrets);
  if (!key)
    throw new Fault(
      "unavailable",
      `There is no secret key: neither SECRET_KEY nor ${secretKeyFile(config.data_dir)}. The links are signed with it.`,
    );
  await using closing = new AsyncDisposableStack();
  const database = await openReadable(config, closing, stop);
  const vault = await vaultWith(key, config.data_dir, secrets);
  await readSigningKeys({ db: database.db, vault });
  const verdicts: TrailVerdict[] = [];
  for (const trail of await trailsOf(database.db)) {
    const verdict = await verdictOf(database.db, vault, trail, stop);
    if (verdict === null) return INTERRUPTED;
    verdicts.push(verdict);
    if (!json) process.stdout.write(`${lineOf(verdict)}\n`);
  }
  if (json) process.stdout.write(`${JSON.stringify(verdicts)}\n`);
  return verdicts.some(({ faults }) => faults.length > 0) ? 1 : 0;
}

async function trailsOf(db: Db): Promise<Trail[]> {
  const { rows } = await sql<Trail>`
    select s.id as sub_organization_id, o.display_name || ' / ' || s.name as name
    from sub_organizations s join organizations o on o.id = s.organization_id order by s.id`.execute(db);
  return rows;
}

async function verdictOf(
  db: Db,
  vault: Vault,
  trail: Trail,
  stop: AbortSignal,
): Promise<TrailVerdict | null> {
  const sums = { intact: 0, blanked: 0, deleted: 0 };
  const faults: TrailVerdict["faults"] = [];
  for (let from: number | null = 1; from !== null; ) {
    if (stop.aborted) return null;
    const found: AuditVerification = await verifyTrail(db, vault, trail.sub_organization_id, from);
    for (const kind of ["intact", "blanked", "deleted"] as const) sums[kind] += found[kind];
    faults.push(...found.faults);
    from = found.next_position ?? null;
    const { unlinked, head, deleted_before } = found;
    if (from === null) return { ...trail, ...sums, faults, unlinked, head, deleted_before };
  }
  return null;
}

const WRONG: Record<TrailVerdict["faults"][number]["fault"], string> = {
  changed: "was changed",
  missing: "is gone",
  out_of_place: "follows on links that are gone",
  forged: "has a link that this installation did not make",
};

function lineOf({ name, intact, blanked, deleted, unlinked, head, faults }: TrailVerdict): string {
  const also = [
    blanked > 0 && `${blanked} blanked by erasures`,
    deleted > 0 && `${deleted} deleted by retention`,
    unlinked > 0 && `${unlinked} not linked yet`,
  ].filter(Boolean);
  const told = `${name}: ${intact} ${intact === 1 ? "entry" : "entries"} intact${also.map((one) => `, ${one}`).join("")}`;
  const wrong = faults.map(
    ({ position, entry_id, fault }) =>
      `\n  position ${position}${entry_id == null ? "" : `, entry ${entry_id}`} ${WRONG[fault]}`,
  );
  return `${told}. Newest link: ${head.position} ${head.link || "none"}${wrong.join("")}`;
}

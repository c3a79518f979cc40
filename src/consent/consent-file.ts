import type { Readable } from "node:stream";
import { sql } from "kysely";
import { z } from "zod";
import { oneOfText } from "../api/input/input-errors.ts";
import { tryParseJson } from "../base/parse-json.ts";
import { copyRows } from "../db/copy.ts";
import type { Db, Tx } from "../db/database.ts";
import {
  ADDRESS_FAULT,
  type ImportSource,
  isOneOf,
  readAddress,
  readAddressFile,
  readInstant,
} from "./address-file.ts";
import {
  CONSENT_CHANNELS,
  CONSENT_PATHS,
  CONSENT_PURPOSES,
  fitsChannel,
  type NewConsent,
  REVOCATION_PATHS,
  type Revocation,
  withdrawnSince,
} from "./consent.ts";
import { LEDGER_PAGE, type LedgerEnding, ledgerCsv, readEnding } from "./ledger-csv.ts";

/** The ledger as a file. */
const EXPORTED = [
  "address",
  "purpose",
  "channel",
  "given_through",
  "valid_from",
  "wording",
  "evidence",
  "created_at",
  "created_by",
  "revoked_at",
  "revoked_through",
  "revoked_said",
  "revoked_by",
] as const;
const REQUIRED = ["address", "purpose", "channel", "given_through", "valid_from"] as const;
export const MAX_WORDING = 4_000;
const MAX_EVIDENCE = 1_000;

export const ConsentEvidence = z
  .record(z.string().max(100), z.string().max(MAX_EVIDENCE))
  .refine((evidence) => Object.keys(evidence).length <= 20, {
    error: "Dictionary should have at most 20 items",
  });

type FileConsent = Omit<NewConsent, "valid_from"> & {
  valid_from: string;
  revoked: LedgerEnding<Revocation["through"]> | null;
};

/**
 * Consents of people, or the whole ledger as it was exported: then evidence is JSON, and `created_at` and `created_by` are
 * about where it comes from.
 */

const readConsents = (
  file: Readable,
  { calling_code, file_name, at }: ImportSource,
): AsyncGenerator<FileConsent> =>
  readAddressFile(file, { columns: EXPORTED, required: REQUIRED }, (cells) => {
    const { row, cell, wrong } = cells;
    const among = <T extends string>(column: (typeof EXPORTED)[number], values: readonly T[]): T | null => {
      const text = cell(column).toLowerCase();
      if (isOneOf(values, text)) return text;
      wrong(column, oneOfText(values), "enum");
      return null;
    };
    const address = readAddress(cell("address"), calling_code);
    if (address === null) wrong("address", ADDRESS_FAULT);
    const purpose = among("purpose", CONSENT_PURPOSES);
    const channel = among("channel", CONSENT_CHANNELS);
    const given_through = among("given_through", CONSENT_PATHS);
    if (address !== null && channel !== null && !fitsChannel(address, channel))
      wrong("channel", "A number is called or texted, an e-mail address is written to");
    const valid_from = readInstant(cell("valid_from"));
    if (typeof valid_from !== "string")
      wrong("valid_from", "Input should be a valid date or datetime", "datetime_parsing");
    else if (Date.parse(valid_from) > at.getTime()) wrong("valid_from", "Input should not lie in the future");
    if (cell("wording").length > MAX_WORDING)
      wrong("wording", `String should have at most ${MAX_WORDING} characters`, "string_too_long");
    const exported = readExported(cell("evidence"));
    if (exported === null && cell("evidence").length > MAX_EVIDENCE)
      wrong("evidence", `String should have at most ${MAX_EVIDENCE} characters`, "string_too_long");
    const said = cell("evidence") === "" ? {} : { note: cell("evidence") };
    const evidence = exported ?? { ...said, file: file_name.slice(0, 300), row: String(row) };
    const wording = cell("wording") || null;
    const revoked = readEnding(cells, "revoked", REVOCATION_PATHS, at);
    return {
      address,
      purpose,
      channel,
      given_through,
      wording,
      evidence,
      valid_from,
      revoked,
    } as FileConsent;
  });

/** Evidence as an export writes it; null where it is a note. */
function readExported(cell: string): NewConsent["evidence"] {
  return cell.startsWith("{") ? (ConsentEvidence.safeParse(tryParseJson(cell)).data ?? null) : null;
}

export type ImportedConsents = { added: number; known: number; withdrawn: number; revoked: number };

/**
 * Stores a whole file or nothing of it. A consent that holds already stays as it is; one that its owner withdrew since is
 * left out. What was revoked where the file comes from is stored as revoked, and revokes what was given before.
 */
export async function importConsents(
  tx: Tx,
  file: Readable,
  source: ImportSource,
): Promise<ImportedConsents> {
  await sql`create temporary table staged_consents (address text, purpose text, channel text, given_through text,
    wording text, evidence text, valid_from timestamptz, revoked_at timestamptz, revoked_through text, revoked_said text,
    revoked_by text) on commit drop`.execute(tx);
  const count = await copyRows(tx, "staged_consents", readConsents(file, source), (row) => [
    row.address,
    row.purpose,
    row.channel,
    row.given_through,
    row.wording,
    JSON.stringify(row.evidence),
    row.valid_from,
    row.revoked?.at ?? null,
    row.revoked?.through ?? null,
    row.revoked?.said || null,
    row.revoked?.by || null,
  ]);
  const at = source.at.toISOString();
  await sql`
    update consents c set revoked_at = w.revoked_at, revoked_through = w.revoked_through, revoked_said = w.revoked_said,
      revoked_by = w.revoked_by
    from (
      select distinct on (h.id) h.id, g.revoked_at, g.revoked_through, g.revoked_said, g.revoked_by
      from consents h
      join staged_consents g using (address, purpose, channel)
      where h.sub_organization_id = ${source.sub_organization_id} and h.revoked_at is null and g.revoked_at >= h.valid_from
      order by h.id, g.revoked_at) w
    where c.id = w.id and c.revoked_at is null`.execute(tx);
  const store = async (these: ReturnType<typeof sql>): Promise<number> => {
    const { numAffectedRows } = await sql`
      insert into consents (sub_organization_id, address, purpose, channel, given_through, wording, evidence, valid_from,
        created_at, created_by, revoked_at, revoked_through, revoked_said, revoked_by)
      select distinct on (address collate "C", purpose, channel, valid_from, revoked_at) ${source.sub_organization_id}::bigint,
        address, purpose, channel, given_through, wording, evidence::json, valid_from, ${at}::timestamptz, ${source.created_by},
        revoked_at, revoked_through, revoked_said, revoked_by
      from staged_consents g
      where ${these}
      -- two files of the same people wait for each other in one order only
      order by address collate "C", purpose, channel, valid_from, revoked_at
      on conflict (sub_organization_id, address, purpose, channel) where revoked_at is null do nothing`.execute(
      tx,
    );
    return Number(numAffectedRows ?? 0);
  };
  // Before those that hold, which they may withdraw.
  const revoked = await store(sql`g.revoked_at is not null and not exists (
    select from consents c
    where c.sub_organization_id = ${source.sub_organization_id} and c.address = g.address and c.purpose = g.purpose
      and c.channel = g.channel and c.valid_from = g.valid_from and c.revoked_at = g.revoked_at)`);
  const withdrawn = withdrawnSince({
    sub_organization_id: source.sub_organization_id,
    address: sql`g.address`,
    purpose: sql`g.purpose`,
    channel: sql`g.channel`,
    valid_from: sql`g.valid_from`,
  });
  const gone =
    await sql`delete from staged_consents g where g.revoked_at is null and ${withdrawn} is not null`.execute(
      tx,
    );
  const added = await store(sql`g.revoked_at is null`);
  const left_out = Number(gone.numAffectedRows ?? 0);
  return { added, known: count - left_out - added - revoked, withdrawn: left_out, revoked };
}

export const exportConsents = (db: Db, sub_organization_id: number): AsyncGenerator<string> =>
  ledgerCsv(EXPORTED, (after) =>
    db
      .selectFrom("consents")
      .select(["id", ...EXPORTED])
      .where("sub_organization_id", "=", sub_organization_id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(LEDGER_PAGE)
      .execute(),
  );

import type { Readable } from "node:stream";
import { sql } from "kysely";
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
  withdrawnSince,
} from "./consent.ts";
import { LEDGER_PAGE, ledgerCsv } from "./ledger-csv.ts";

/** Consents as a file: `address`, `purpose`, `channel`, `given_through` and `valid_from`, and what proves them. */
const COLUMNS = [
  "address",
  "purpose",
  "channel",
  "given_through",
  "valid_from",
  "wording",
  "evidence",
] as const;
const REQUIRED = ["address", "purpose", "channel", "given_through", "valid_from"] as const;
export const MAX_WORDING = 4_000;
export const MAX_EVIDENCE = 1_000;

type FileConsent = Omit<NewConsent, "valid_from"> & { valid_from: string };

const readConsents = (
  file: Readable,
  { calling_code, file_name, at }: ImportSource,
): AsyncGenerator<FileConsent> =>
  readAddressFile(file, { columns: COLUMNS, required: REQUIRED }, ({ row, cell, wrong }) => {
    const among = <T extends string>(column: (typeof COLUMNS)[number], values: readonly T[]): T | null => {
      const text = cell(column).toLowerCase();
      if (isOneOf(values, text)) return text;
      wrong(column, `Input should be ${values.join(", ")}`, "enum");
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
    if (cell("evidence").length > MAX_EVIDENCE)
      wrong("evidence", `String should have at most ${MAX_EVIDENCE} characters`, "string_too_long");
    const said = cell("evidence") === "" ? {} : { note: cell("evidence") };
    const evidence = { ...said, file: file_name.slice(0, 300), row: String(row) };
    const wording = cell("wording") || null;
    return { address, purpose, channel, given_through, wording, evidence, valid_from } as FileConsent;
  });

export type ImportedConsents = { added: number; known: number; withdrawn: number };

/**
 * Stores a whole file or nothing of it. A consent that holds already stays as it is; one that its owner withdrew since is
 * left out.
 */
export async function importConsents(
  tx: Tx,
  file: Readable,
  source: ImportSource,
): Promise<ImportedConsents> {
  await sql`create temporary table staged_consents (address text, purpose text, channel text, given_through text,
    wording text, evidence text, valid_from timestamptz) on commit drop`.execute(tx);
  const count = await copyRows(tx, "staged_consents", readConsents(file, source), (row) => [
    row.address,
    row.purpose,
    row.channel,
    row.given_through,
    row.wording,
    JSON.stringify(row.evidence),
    row.valid_from,
  ]);
  const at = source.at.toISOString();
  const withdrawn = withdrawnSince({
    sub_organization_id: source.sub_organization_id,
    address: sql`g.address`,
    purpose: sql`g.purpose`,
    channel: sql`g.channel`,
    valid_from: sql`g.valid_from`,
  });
  const gone = await sql`delete from staged_consents g where ${withdrawn} is not null`.execute(tx);
  const { numAffectedRows } = await sql`
    insert into consents (sub_organization_id, address, purpose, channel, given_through, wording, evidence, valid_from,
      created_at, created_by)
    select ${source.sub_organization_id}, address, purpose, channel, given_through, wording, evidence::json, valid_from,
      ${at}::timestamptz, ${source.created_by}
    from staged_consents
    -- two files of the same people wait for each other in one order only
    order by address collate "C", purpose, channel, valid_from
    on conflict (sub_organization_id, address, purpose, channel) where revoked_at is null do nothing`.execute(
    tx,
  );
  const added = Number(numAffectedRows ?? 0);
  const left_out = Number(gone.numAffectedRows ?? 0);
  return { added, known: count - left_out - added, withdrawn: left_out };
}

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

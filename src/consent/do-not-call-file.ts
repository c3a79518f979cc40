import type { Readable } from "node:stream";
import { sql } from "kysely";
import { normalisePhone } from "../channels/address.ts";
import { copyRows } from "../db/copy.ts";
import type { Tx } from "../db/database.ts";
import { readAddressFile } from "./address-file.ts";

/** The largest national file has some hundred million numbers; an organization subscribes to the area codes that it calls. */
export const MAX_DO_NOT_CALL_ROWS = 20_000_000;
export const MAX_DO_NOT_CALL_bytes = 400 * 1024 * 1024;

const COLUMNS = ["address", "area_code", "number"] as const;
const AREA_CODE = /^\d{3}$/;
const LOCAL_NUMBER = /^\d{7}$/;

/**
 * The numbers of a list: a column `address`, or the columns `area_code` and `number`. Files without a header are read, too:
 * one number a row, or area code and number, as the national registry of the US hands them out.
 */
export const readDoNotCall = (file: Readable, calling_code: string | null): AsyncGenerator<string> =>
  readAddressFile(
    file,
    { columns: COLUMNS, required: [], without_header: impliedColumns, max_rows: MAX_DO_NOT_CALL_ROWS },
    ({ cell, wrong }) => {
      const joined = `${cell("area_code")}${cell("number")}`;
      const column = joined === "" ? "address" : "number";
      const address = normalisePhone(joined === "" ? cell("address") : joined, calling_code ?? "1");
      if (address === null) wrong(column, "Input should be a telephone number");
      return address as string;
    },
  );

function impliedColumns(cells: string[]): (typeof COLUMNS)[number][] | null {
  const [first = "", second = ""] = cells.map((cell) => cell.trim());
  if (cells.length === 2 && AREA_CODE.test(first) && LOCAL_NUMBER.test(second))
    return ["area_code", "number"];
  return cells.length === 1 && /^\+?\d[\d ().-]{5,}$/.test(first) ? ["address"] : null;
}

/** Replaces a whole list, or leaves it as it was. Numbers go to the database by the thousand, so any file fits in memory. */
export async function replaceNumbers(
  tx: Tx,
  list_id: number,
  numbers: AsyncIterable<string>,
): Promise<{ numbers: number; repeated: number }> {
  await sql`create temporary table staged_numbers (address text collate "C" not null) on commit drop`.execute(
    tx,
  );
  const count = await copyRows(tx, "staged_numbers", numbers, (address) => [address]);
  await sql`delete from do_not_call_numbers where list_id = ${list_id}`.execute(tx);
  // In the order of the index, which then grows at its end only.
  const { numAffectedRows } = await sql`
    insert into do_not_call_numbers (list_id, address)
    select distinct ${list_id}::bigint, address from staged_numbers order by address`.execute(tx);
  const stored = Number(numAffectedRows ?? 0);
  return { numbers: stored, repeated: count - stored };
}

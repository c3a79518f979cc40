import { InvalidInput, invalid } from "../base/errors.ts";
import { readOutreachRules } from "../campaigns/outreach-rules.ts";
import type { Db } from "../db/database.ts";
import { isPersonColumn, PERSON_COLUMNS, personColumnFault } from "../planning/person-hold.ts";
import type { RequestInput } from "./batch-schema.ts";

/** What is wrong with a cell of a file; null: nothing. */
export type CheckCell = (column: string, value: string) => string | null;

const ANYTHING: CheckCell = () => null;
const person: CheckCell = (column, value) =>
  isPersonColumn(column) ? personColumnFault(column, value) : null;

/** The columns about a person's clock mean something only where the organization's rules say so. */
export async function cellCheck(db: Db, organization_id: number): Promise<CheckCell> {
  const { person_clock } = await readOutreachRules(db, organization_id);
  return person_clock ? person : ANYTHING;
}

/** The same for requests that are added one by one. */
export function refuseWrongColumns(inputs: readonly RequestInput[], check: CheckCell): void {
  const issues = inputs.flatMap(({ request_variables }, index) =>
    PERSON_COLUMNS.flatMap((name) => {
      const msg = check(name, request_variables[name] ?? "");
      return msg === null
        ? []
        : [{ loc: ["body", index, "request_variables", name], msg, type: "value_error" }];
    }),
  );
  if (issues.length > 0) throw new InvalidInput(issues);
}

export const wrongCell = (row: number, column: string, msg: string): Error =>
  invalid(["file", row, column], msg, "value_error");

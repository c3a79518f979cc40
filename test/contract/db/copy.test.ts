import fc from "fast-check";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import {
  CopyRows,
  copyBigint,
  copyField,
  copyHead,
  copyInto,
  copyNull,
  copyText,
  copyTimestamp,
} from "../../../src/db/copy.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { CODE_POINT } from "../../harness/code-point.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await sql`create table copied (
    id bigint generated always as identity, n bigint, at timestamptz, nothing text, a text, b text
  )`.execute(app.db);
});

/** Whatever PostgreSQL can hold: no NUL, no half of a pair. */
const text = fc
  .oneof({ weight: 9, arbitrary: fc.string({ unit: CODE_POINT }) }, fc.constant("ü𝄞 ".repeat(20_000)))
  .map((value) => value.replaceAll("\0", "").toWellFormed());

const head = fc.record({
  n: fc.maxSafeInteger(),
  at: fc.date({ min: new Date("1900-01-01"), max: new Date("2200-01-01"), noInvalidDate: true }),
  a: text,
});

test("rows that are copied in binary come back as they were, however long they are", async () => {
  await fc.assert(
    fc.asyncProperty(head, fc.array(text, { maxLength: 30 }), async ({ n, at, a }, texts) => {
      const rows = new CopyRows();
      const first = copyHead(5, [copyBigint(n), copyTimestamp(at), copyNull, copyText(a)]);
      for (const b of texts) {
        rows.row(first);
        rows.text(b);
      }
      const stored = await copied("(n, at, nothing, a, b) from stdin (format binary)", rows.end());
      expect(stored).toEqual(
        texts.map((b) => ({ n, at: at.toISOString().replace("Z", "+00:00"), nothing: null, a, b })),
      );
    }),
  );
});

test("fields that are copied as text come back as they were", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1 }), async (pairs) => {
      const lines = pairs.map((pair) => `${pair.map(copyField).join("\t")}\n`).join("");
      const stored = await copied("(a, b) from stdin", lines);
      expect(stored.map(({ a, b }) => [a, b])).toEqual(pairs);
    }),
  );
});

type Row = { n: number; at: string; nothing: null; a: string; b: string };

async function copied(columns: string, rows: string | Buffer[]): Promise<Row[]> {
  return app.db.transaction().execute(async (tx) => {
    await sql`truncate copied`.execute(tx);
    await copyInto(tx, `copy copied ${columns}`, rows);
    const found = await sql<Row>`
      select n, to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.MS') || '+00:00' as at, nothing, a, b from copied order by id`;
    return (await found.execute(tx)).rows;
  });
}

import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { failLostUploads, startBeating } from "../../../src/batches/upload-claim.ts";
import { CONNECTIONS, openDatabase } from "../../../src/db/database.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, createOutbound, request } from "../../harness/batch.ts";
import { givenUp, slowSender } from "../../harness/slow-sender.ts";
import { WAITING } from "../../harness/waiting.ts";

let app: TestApp;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
let url: string;
beforeAll(async () => {
  app = await createTestApp();
  outbound = await createOutbound(app);
  url = await app.listen();
});

const emptyBatch = async (more: object = {}): Promise<string> => (await outbound.createBatch(more)).batch_id;
const countsOf = async (batch_id: string) => (await outbound.get(batch_id)).body.status_counts;

const STALLED = {
  status: 400,
  body: { detail: "The upload stalled, and nothing was stored. Send the file again." },
};

/** As many rows, the first of them being number `first`. */
const rows = (count: number, first = 0): string =>
  Array.from({ length: count }, (_, index) => `r${first + index},+1512${5550000 + first + index}\n`).join("");
const HEADER = "reference_id,target\n";

function slowly(batch_id: string) {
  const sender = slowSender(`${url}${BATCHES}/${batch_id}/upload_batch`, app.token);
  sender.beginFile();
  return sender;
}

describe("an upload", () => {
  test("fills a batch and answers what became of the rows", async () => {
    const batch_id = await emptyBatch();
    const csv =
      "reference_id,target,First Name\na,512-555-0001,Ann\nb,5125550001,Bob\nc,nobody,Cid\na,512-555-0002,Ann\nd,512-555-0002,Dan\n";
    expect(await outbound.upload(batch_id, csv, { filename: "my %22people%22.csv" })).toMatchObject({
      status: 200,
      body: { batch_id, accepted: 2, duplicates: 2, invalid: 1 },
    });
    const { body } = await outbound.results(batch_id);
    expect(
      body.map((row: Record<string, unknown>) => [row.reference_id, row.target, row.request_status]),
    ).toEqual([
      ["a", "+15125550001", "PENDING"],
      ["b", "+15125550001", "DUPLICATE"],
      ["c", "nobody", "INVALID"],
      ["a", "+15125550002", "DUPLICATE"],
      ["d", "+15125550002", "PENDING"],
    ]);
    expect(body[0].request_variables).toEqual({ First_Name: "Ann" });
    expect((await outbound.get(batch_id)).body).toMatchObject({
      status: "ACTIVE",
      upload_filename: 'my "people".csv',
      dispatch_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      error_message: null,
      status_counts: { PENDING: 2, DUPLICATE: 2, INVALID: 1 },
    });
  });

  test("into a batch on hold leaves it on hold", async () => {
    const batch_id = await emptyBatch({ paused: true });
    await outbound.upload(batch_id, HEADER + rows(1));
    expect((await outbound.get(batch_id)).body.status).toBe("PAUSED");
  });

  test("fills a batch once", async () => {
    const batch_id = await emptyBatch();
    await outbound.upload(batch_id, HEADER + rows(1));
    expect(await outbound.upload(batch_id, HEADER + rows(1, 1))).toMatchObject({
      status: 400,
      body: { detail: `Batch "${batch_id}" was filled from people.csv. Make another batch.` },
    });
    expect(await countsOf(batch_id)).toEqual({ PENDING: 1 });
  });

  test("that can't be read stores nothing, says where, and may be followed by a better one", async () => {
    const batch_id = await emptyBatch();
    const broken = `${HEADER}${rows(12_000)}r,1,2\n${rows(10)}`;
    expect(await outbound.upload(batch_id, broken)).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ["file", 12_002, 3],
            msg: "Row has 3 cells, the header 2. Quote cells that contain the separator",
            type: "value_error",
          },
        ],
      },
    });
    expect((await outbound.get(batch_id)).body).toMatchObject({
      status: "FAILED",
      upload_filename: null,
      error_message:
        "Invalid file format: row 12002, column 3: Row has 3 cells, the header 2. Quote cells that contain the separator",
      status_counts: {},
    });
    expect((await outbound.upload(batch_id, HEADER + rows(3))).body.accepted).toBe(3);
    expect((await outbound.get(batch_id)).body).toMatchObject({ status: "ACTIVE", error_message: null });
  });

  test("that fails leaves a batch that has requests as it was", async () => {
    const batch_id = await emptyBatch();
    await outbound.add(batch_id, request("a", "512-555-0001"));
    expect((await outbound.upload(batch_id, "reference_id\na")).status).toBe(422);
    expect((await outbound.get(batch_id)).body).toMatchObject({
      status: "ACTIVE",
      error_message: "Missing required fields: target",
      status_counts: { PENDING: 1 },
    });
  });

  test("that can't be read leaves one audit entry, as one that can", async () => {
    const batch_id = await emptyBatch();
    await outbound.upload(batch_id, "reference_id\na");
    await outbound.upload(batch_id, HEADER + rows(1));
    const entries = await app.db
      .selectFrom("audit_entries")
      .select(["action", "after"])
      .where("resource_id", "=", batch_id)
      .where("action", "=", "upload")
      .orderBy("id")
      .execute();
    expect(entries).toMatchObject([
      { after: { status: "FAILED", error_message: "Missing required fields: target" } },
      { after: { status: "ACTIVE", added: { accepted: 1, duplicates: 0, invalid: 0 } } },
    ]);
  });

  test("of long rows is stored piece by piece, not held whole until there are many", async () => {
    const batch_id = await emptyBatch();
    const note = "x".repeat(60_000);
    const csv = Array.from({ length: 400 }, (_, i) => `r${i},+1512${5560000 + i},${note}\n`).join("");
    const uploaded = await outbound.upload(batch_id, `reference_id,target,note\n${csv}`);
    expect(uploaded.body).toMatchObject({ accepted: 400, duplicates: 0, invalid: 0 });
    // A row for each statement that stored some of them.
    const pieces = await app.db
      .selectFrom("request_counts")
      .innerJoin("batches", "batches.key", "request_counts.batch_key")
      .select("n")
      .where("batch_id", "=", batch_id)
      .execute();
    expect(pieces.length).toBeGreaterThanOrEqual(2);
  });

  test("without a file is refused", async () => {
    const batch_id = await emptyBatch();
    const missing = { status: 422, body: { detail: [{ loc: ["body", "file"], type: "missing" }] } };
    expect(await outbound.upload(batch_id, HEADER, { field: "people" })).toMatchObject(missing);
    expect(await app.send("POST", `${BATCHES}/${batch_id}/upload_batch`)).toMatchObject(missing);
    const json = await app.send("POST", `${BATCHES}/${batch_id}/upload_batch`, { file: "reference_id" });
    expect(json.status).toBe(415);
    expect((await outbound.get(batch_id)).body.status).toBe("PENDING");
  });

  test("may have variables of any kind: quotes, backslashes, tabs, several lines", async () => {
    const batch_id = await emptyBatch();
    const text = 'back\\slash, "quote",\ttab\r\nline \\N \\. end';
    await outbound.upload(
      batch_id,
      `reference_id,target,note\n\\N,512-555-0001,"${text.replaceAll('"', '""')}"`,
    );
    const { body } = await outbound.results(batch_id);
    expect(body[0]).toMatchObject({ reference_id: "\\N", request_variables: { note: text } });
  });
});

describe("while a file is read", () => {
  test("its progress shows, and the rest of the world goes on", async () => {
    const batch_id = await emptyBatch();
    const sender = slowly(batch_id);
    sender.send(HEADER + rows(6_000));
    await vi.waitFor(
      async () => expect((await countsOf(batch_id)).PENDING).toBeGreaterThanOrEqual(5_999),
      WAITING,
    );
    expect((await outbound.get(batch_id)).body).toMatchObject({
      status: "PENDING",
      upload_filename: "slow.csv",
      detailed_status_counts: { PENDING: { counts: { PENDING: expect.any(Number) } } },
    });
    expect((await outbound.results(batch_id)).body).toEqual([]);

    const busy = {
      status: 409,
      body: { detail: `A file is being read into batch "${batch_id}". Try again when it is done.` },
    };
    expect(await outbound.upload(batch_id, HEADER + rows(1))).toMatchObject(busy);
    expect(await outbound.add(batch_id, request("a", "512-555-0001"))).toMatchObject(busy);
    expect((await outbound.put(batch_id, { paused: true })).status).toBe(200);

    sender.send(rows(1_000, 6_000));
    sender.end();
    expect(await sender.answer).toEqual({
      status: 200,
      body: { batch_id, accepted: 7_000, duplicates: 0, invalid: 0 },
    });
    expect((await outbound.get(batch_id)).body).toMatchObject({
      status: "PAUSED",
      status_counts: { PENDING: 7_000 },
    });
  });

  test("a sender that goes away leaves nothing behind, and the batch says so", async () => {
    const batch_id = await emptyBatch();
    const sender = slowly(batch_id);
    sender.send(HEADER + rows(6_000));
    await vi.waitFor(async () => expect((await countsOf(batch_id)).PENDING).toBeGreaterThan(0), WAITING);
    sender.abort();
    await vi.waitFor(async () => expect((await outbound.get(batch_id)).body.status).toBe("FAILED"), WAITING);
    expect((await outbound.get(batch_id)).body).toMatchObject({
      error_message: "Reading the file was interrupted and nothing of it was stored. Upload it again.",
      status_counts: {},
    });
    expect((await outbound.upload(batch_id, HEADER + rows(1))).body.accepted).toBe(1);
  });

  test("a batch may be deleted or expire; the file is refused then", async () => {
    const expires_on = new Date(app.clock.now().getTime() + 60_000).toISOString();
    const [deleted, expired] = [await emptyBatch(), await emptyBatch({ expires_on })];
    const senders = [deleted, expired].map(slowly);
    for (const sender of senders) sender.send(HEADER + rows(2));
    for (const batch_id of [deleted, expired]) {
      await vi.waitFor(async () => expect(await countsOf(batch_id)).not.toEqual({}), WAITING);
    }
    await outbound.remove(deleted);
    app.clock.advance(60_000);
    for (const sender of senders) sender.end();
    const detail = (why: string) => ({ status: 400, body: { detail: expect.stringContaining(why) } });
    expect(await senders[0]?.answer).toEqual(detail("it was deleted"));
    expect(await senders[1]?.answer).toEqual(detail("it has expired"));
    expect((await outbound.get(deleted)).body).toMatchObject({ status: "CANCELED", status_counts: {} });
    expect((await outbound.get(expired)).body).toMatchObject({ status: "EXPIRED", status_counts: {} });
  });

  test("a refusal reaches a sender that has much left to send", async () => {
    const batch_id = await emptyBatch();
    const sender = slowly(batch_id);
    sender.send(`reference_id\n${"x\n".repeat(20_000_000)}`);
    sender.end();
    await sender.sent;
    expect((await sender.answer).status).toBe(422);
  });

  test("more files than a process takes at once are put off", async () => {
    const batches = [await emptyBatch(), await emptyBatch(), await emptyBatch(), await emptyBatch()];
    const senders = batches.slice(0, 3).map(slowly);
    for (const sender of senders) sender.send(HEADER + rows(2));
    for (const batch_id of batches.slice(0, 3)) {
      await vi.waitFor(async () => expect(await countsOf(batch_id)).not.toEqual({}), WAITING);
    }
    const answer = await outbound.upload(batches[3] as string, HEADER + rows(1));
    expect(answer).toMatchObject({ status: 429, headers: { "retry-after": "10" } });
    for (const sender of senders) sender.end();
    for (const sender of senders) expect((await sender.answer).status).toBe(200);
    expect((await outbound.upload(batches[3] as string, HEADER + rows(1))).status).toBe(200);
  });

  test("its progress takes one connection at most, however long its last transaction holds the row", async () => {
    const batch_id = await emptyBatch();
    const { key: batch_key } = await app.db
      .selectFrom("batches")
      .select("key")
      .where("batch_id", "=", batch_id)
      .executeTakeFirstOrThrow();
    const upload_id = "held";
    await app.db
      .insertInto("batch_uploads")
      .values({
        batch_key,
        upload_id,
        filename: "held.csv",
        rows_read: 0,
        beat_at: app.clock.now().toISOString(),
      })
      .execute();
    const { db, close } = openDatabase(app.database.pool.options, { ...CONNECTIONS, writing: 2 });
    onTestFinished(close);
    await app.db.transaction().execute(async (tx) => {
      await tx.deleteFrom("batch_uploads").where("batch_key", "=", batch_key).execute();
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      const claim = { batch_key, upload_id, filename: "held.csv" };
      const beating = startBeating({ ...app, db }, claim, { rows: 1 });
      vi.advanceTimersByTime(10_000);
      vi.useRealTimers();
      beating.stop();
      await db.selectFrom("batches").select("key").executeTakeFirstOrThrow();
    });
  });

  test("senders that stall, before the file or in it, give their places and the batch back", async () => {
    const batches = [await emptyBatch(), await emptyBatch()];
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const [inFile, before] = batches.map((batch_id) =>
      slowSender(`${url}${BATCHES}/${batch_id}/upload_batch`, app.token),
    );
    inFile?.beginFile();
    inFile?.send(HEADER + rows(2));
    before?.begin();
    expect(await givenUp(inFile, before)).toEqual([STALLED, STALLED]);
    expect((await outbound.get(batches[0] as string)).body).toMatchObject({
      status: "FAILED",
      error_message: STALLED.body.detail,
    });
    for (const batch_id of batches)
      expect((await outbound.upload(batch_id, HEADER + rows(1))).body.accepted).toBe(1);
  });

  test("its process may die: a minute later the batch says so and takes the file again", async () => {
    const batch_id = await emptyBatch();
    const { key } = await app.db
      .selectFrom("batches")
      .select("key")
      .where("batch_id", "=", batch_id)
      .executeTakeFirstOrThrow();
    const beat_at = app.clock.now().toISOString();
    await app.db
      .insertInto("batch_uploads")
      .values({ batch_key: key, upload_id: "gone", filename: "lost.csv", rows_read: 7, beat_at })
      .execute();
    app.clock.advance(60_000);
    expect(await failLostUploads(app.db, app.clock)).toBe(0);
    expect((await outbound.upload(batch_id, HEADER + rows(1))).status).toBe(409);
    app.clock.advance(1);
    expect(await failLostUploads(app.db, app.clock)).toBe(1);
    expect((await outbound.get(batch_id)).body).toMatchObject({
      status: "FAILED",
      error_message: "Reading lost.csv was cut off and nothing of it was stored. Upload it again.",
      status_counts: {},
    });
    expect((await outbound.upload(batch_id, HEADER + rows(1))).body.accepted).toBe(1);
  });
});

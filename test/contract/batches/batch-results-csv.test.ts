import { beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, request } from "../../harness/batch.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(() => dialing.forget());

const results = (batch_id: string, accept?: string) =>
  app.send("GET", `${BATCHES}/${batch_id}/results`, undefined, accept ? { accept } : {});

test("results come as CSV to who asks for it, safe to open in a spreadsheet, and as JSON to everybody else", async () => {
  const { batch_id } = await dialing.filled(0);
  await dialing.outbound.add(batch_id, [
    { ...request("=1+1", "+15125588001"), request_variables: { note: 'says "hi", twice' } },
  ]);
  const csv = await results(batch_id, "text/csv");
  expect(csv.headers["content-type"]).toBe("text/csv; charset=utf-8");
  expect(csv.headers["content-disposition"]).toContain("results.csv");
  const [header, row] = csv.body.replace("\uFEFF", "").split("\r\n");
  expect(header).toMatch(
    /^reference_id,target,request_status,channel_manager_status,reached,answered_by,duration_s/,
  );
  expect(row).toMatch(/^'=1\+1,\+15125588001,PENDING,PENDING,,,,,0,/);
  expect(row).toContain('"{""note"":""says \\""hi\\"", twice""}"');
  for (const accept of [undefined, "*/*", "application/json", "application/json, text/csv;q=0.5"])
    expect((await results(batch_id, accept)).body).toHaveLength(1);
});

test("a batch whose time is up shows it at once: status, counts, results and the board", async () => {
  const expires_on = new Date(app.clock.now().getTime() + 60_000).toISOString();
  const { batch_id, campaign_id } = await dialing.filled(3, {}, { expires_on });
  app.clock.advance(60_000);
  const { body } = await dialing.outbound.get(batch_id);
  expect(body).toMatchObject({
    status: "EXPIRED",
    status_counts: { CANCELED: 3 },
    outcome_counts: { not_tried: 3, open: 0 },
  });
  expect(await dialing.shown(batch_id)).toEqual(Array(3).fill("CANCELED CANCELED 0"));
  const board = await app.send("GET", `/api/v1/outbound/campaigns/${campaign_id}/board`);
  expect(board.body).toMatchObject({ status_counts: { CANCELED: 3 }, total_rate: 0 });
  expect(board.body.batches[0].next_step.kind).toBe("over");
});

import path from "node:path";
import { createCallRecordings } from "../../src/calls/recordings/call-recording.ts";
import type { TestApp } from "./app.ts";
import { pastSession } from "./insights.ts";

export const RECORDED_RATE = 8_000;
const SAMPLE = 0x4242;
/** Would be found in a file that holds the sound as it was spoken. */
export const SPOKEN = Buffer.from(new Int16Array(400).fill(SAMPLE).buffer);

let calls = 0;

/** A call of a second, as our own lines record it: its session, and its file. */
export async function recordCall(app: TestApp): Promise<{ session_id: number; name: string; file: string }> {
  const session_id = await pastSession(app, app.admin, {});
  const call = { id: ++calls, leg: 0, session_id, sub_organization_id: app.admin.sub_organization_id };
  const recordings = createCallRecordings({ engine: app.engine, dataDir: app.config.data_dir });
  const recorder = await recordings.begin(call, RECORDED_RATE);
  for (let n = 0; n < 50; n++) {
    recorder?.caller(new Int16Array(RECORDED_RATE / 50).fill(SAMPLE));
    recorder?.agent(new Int16Array(RECORDED_RATE / 50).fill(SAMPLE));
    app.clock.advance(20);
  }
  recorder?.end();
  await recordings.written();
  const name = `call-${call.id}-0.wav`;
  return { session_id, name, file: path.join(app.config.data_dir, "recordings", name) };
}

/** The first recording of a session, as a player gets it. */
export async function played(app: TestApp, session_id: number, range?: string) {
  const { body } = await app.send("POST", `/api/v1/sessions/recording/${session_id}`);
  const { pathname, search } = new URL(body.recordings[0]);
  return app.api.server.inject({ url: pathname + search, ...(range && { headers: { range } }) });
}

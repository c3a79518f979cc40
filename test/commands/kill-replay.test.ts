import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRandom } from "../harness/fuzz/random.ts";
import { rounds, SEED } from "../harness/seed.ts";
import { parley, send, usedFolder } from "./program.ts";

const KILLS = rounds(1, 10);
const random = createRandom(SEED);
const SESSIONS = 12;

test(`kill -9 during a run and a replay: both go on to their end, and no result is there twice (seed ${SEED})`, async () => {
  const { folder, greeting } = await usedFolder();
  let program = parley(["start"], { folder });
  const { url } = await program.ready();
  const env = { PORT: new URL(url).port };
  const headers = { "service-api-key": greeting.token ?? "" };
  const api = async (method: string, path: string, body?: object) => {
    const answer = await send(method, `${url}/api/v1${path}`, body, headers);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  for (let n = 0; n < SESSIONS; n++) {
    const { body: chat } = await send("POST", `${url}/chat/v1/sessions`, { client_id: "demo-clinic" });
    const path = `${url}/chat/v1/sessions/${chat.session_id}/messages?token=${chat.token}`;
    for (const text of ["When are you open?", "bye"]) await send("POST", path, { text, id: `m-${text}` });
  }
  const run = await api("POST", "/test_suites/1/runs", { repetitions: 2 });
  const replay = await api("POST", "/agents/1/replays", {});
  const { total } = replay.summary.results;
  expect(total).toBe(SESSIONS);

  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(100 + random.int(600));
    await program.end("SIGKILL");
    program = parley(["start"], { folder, env });
    await program.ready();
  }
  const status = async () => [
    (await api("GET", `/test_runs/${run.id}`)).status,
    (await api("GET", `/replays/${replay.id}`)).status,
  ];
  while ((await status()).includes("running")) await sleep(200);

  const results = (await api("GET", `/test_runs/${run.id}/results?limit=1000`)).items;
  expect(results.map(({ status }: { status: string }) => status)).toEqual(Array(40).fill("passed"));
  const pairs = (await api("GET", `/replays/${replay.id}/pairs?limit=1000`)).items;
  expect(pairs.map(({ status }: { status: string }) => status)).toEqual(Array(SESSIONS).fill("replayed"));
  const sessions = pairs.flatMap((pair: Record<string, number>) => [
    pair.baseline_session_id,
    pair.candidate_session_id,
  ]);
  expect(new Set(sessions).size).toBe(2 * SESSIONS);
  for (const { observed, candidate } of pairs) {
    expect(candidate.turns).toBe(observed.turns);
    expect(candidate.diverged).toBeNull();
  }
});

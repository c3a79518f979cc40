import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../app/parts.ts";
import type { Log } from "../base/log.ts";
import type { JobRunner } from "../jobs/runner.ts";
import { finishTurns } from "../turns/finish-turns.ts";

/** How long a stop waits for turns and jobs that run before it cuts them off. */
const FINISH_MS = 10_000;
/** For answers to leave, and for the other ends of sockets to say goodbye. */
const GOODBYE_MS = 1_000;
/** RFC 6455: the endpoint goes away. A page connects again by itself, here or to another machine. */
const GOING_AWAY = 1001;

/**
 * Takes nothing new, lets what runs come to its end, then closes everything that is open. The database and the way
 * out to peers stay open until this is done.
 */
export async function stopServing(
  { api, engine, voiceCalls, deliverer, dialer }: App,
  jobs: JobRunner,
  log: Log,
): Promise<void> {
  const http = api.server.server;
  const sockets = api.server.websocketServer.clients;
  const noConnections = new Promise<void>((resolve) => http.close(() => resolve()));
  voiceCalls.stop();
  // An open chat begins no further turn, but still gets the answer to the one that runs.
  for (const socket of sockets) socket.pause();
  const [cut] = await Promise.all([
    finishTurns(engine, FINISH_MS),
    Promise.race([jobs.stop().catch((error) => log.warn({ err: error }, "jobs")), sleep(FINISH_MS)]),
    Promise.race([deliverer.stop(), sleep(FINISH_MS)]),
    dialer?.stop(),
  ]);
  if (cut > 0)
    log.warn({ turns: cut }, "turns were cut off; they are answered when their message is sent again");

  for (const socket of sockets) {
    socket.close(GOING_AWAY, "Parley is being restarted.");
    socket.resume();
  }
  http.closeIdleConnections();
  await Promise.all([voiceCalls.over(GOODBYE_MS), Promise.race([noConnections, sleep(GOODBYE_MS)])]);
  for (const socket of sockets) socket.terminate();
  http.closeAllConnections();
  await api.server.close();
  await engine.allowance.stored();
}

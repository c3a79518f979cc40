import type { AttemptReports } from "../channels/outreach.ts";
import type { Db } from "../db/database.ts";
import { findTest, isTestKey, testHeard, testTalks } from "./test-outreach.ts";

/** What channels tell of tries: of those of campaigns their attempts, of tests the tests themselves. */
export const withTests = (attempts: AttemptReports, db: Db): AttemptReports => ({
  find: (key) => (isTestKey(key) ? findTest(db, key) : attempts.find(key)),

  async sessionStarted(tx, key, session) {
    if (isTestKey(key)) await testTalks(tx, key, session.session_id);
    else await attempts.sessionStarted(tx, key, session);
  },

  async signal(signals) {
    const isTest = ({ key }: { key: string | null }) => key !== null && isTestKey(key);
    for (const { key, status, at } of signals.filter(isTest))
      await testHeard(db, { key: key as string, status, at });
    const others = signals.filter((signal) => !isTest(signal));
    if (others.length > 0) await attempts.signal(others);
  },
});

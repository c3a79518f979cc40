import type { Db } from "../db/database.ts";

/** Sessions of tests, under which their channel's ids are. */
export const TEST_SERVICE = "tests";

/** The name of a result's session, by which it is found when the recorded session is deleted. */
export const testSid = (result_id: number): string => `test-${result_id}`;

/** What the person said in a session, in order. */
export async function recordedLines(
  db: Db,
  sub_organization_id: number,
  session_id: number,
): Promise<string[]> {
  const messages = await db
    .selectFrom("session_messages as m")
    .innerJoin("sessions as s", "s.id", "m.session_id")
    .select("m.text")
    .where("m.session_id", "=", session_id)
    .where("s.sub_organization_id", "=", sub_organization_id)
    .where("m.role", "=", "user")
    .orderBy("m.seq")
    .execute();
  return messages.map(({ text }) => text);
}

import { sql } from "kysely";
import { expect, test } from "vitest";
import { readMigrations } from "../../../src/db/migrate.ts";
import { createTestApp } from "../../harness/app.ts";
import { insertSession } from "../../harness/rows.ts";

test("a call of the simulator from before its ids had a mark is shown as simulated, a carrier's call is not", async () => {
  const app = await createTestApp();
  const channel = async (name: string, more: object = {}) =>
    (await app.send("POST", "/api/v1/channels/", { name, channel_service: "twilio", config: more })).body.id;
  const without = await channel("Without an account");
  const own = await channel("Own account", { account_sid: "AC01", auth_token: "secret" });
  const called = async (channel_id: number, sid: string): Promise<number> => {
    const type = {
      channel: "voice",
      channel_manager_service: "twilio",
      channel_manager_type: "voice_twilio_v1",
    };
    const session_id = await insertSession(app, { ...type, channel_manager_sid: sid });
    await app.db
      .insertInto("calls")
      .values({
        session_id,
        sub_organization_id: app.admin.sub_organization_id,
        channel_id,
        carrier: "twilio",
        sid,
        is_outbound: false,
        number: "+15125550101",
        state: "ended",
        answered_at: app.clock.now().toISOString(),
      })
      .execute();
    return session_id;
  };
  const simulated = await called(without, "CA1b4e28ba2fa141d2883f0016d3cca427");
  const carriers = await called(own, "CA2b4e28ba2fa141d2883f0016d3cca427");
  const before = await called(without, "CA0123456789abcdef0123456789abcdef");
  const shown = async (id: number) => (await app.send("GET", `/api/v1/sessions/${id}`)).body.simulated;
  expect(await shown(simulated)).toBe(false);

  const migration = readMigrations().find(({ name }) => name.startsWith("written_by_hand"));
  await sql.raw(migration!.sql.slice(migration!.sql.indexOf("update sessions"))).execute(app.db);
  expect([await shown(simulated), await shown(carriers), await shown(before)]).toEqual([true, false, false]);
});

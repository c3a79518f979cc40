import type { Caller } from "../../src/api/caller.ts";
import type { Db } from "../../src/db/database.ts";
import type { TestApp } from "./app.ts";

const SCRIPTED = {
  provider: "openai",
  model: "scripted",
  version: null,
  api_version: null,
  temperature: null,
  seed: null,
};

type Sender = { target: string; mode?: "voice" | "sms" | "email"; timezone?: string };

/** An address to send from, with a channel and an agent behind it, put straight into the database. */
export async function createSender(
  app: TestApp,
  caller: Caller,
  sender: Sender,
): Promise<{ agent_id: number }> {
  const { target, mode = "voice", timezone = "America/New_York" } = sender;
  const stamp = app.clock.now().toISOString();
  const mine = { sub_organization_id: caller.sub_organization_id };
  const name = `${mode} ${target}`;
  const id = async (db: Db, table: "prompts" | "agents" | "channels" | "channel_targets", row: object) =>
    (
      await db
        .insertInto(table)
        .values(row as never)
        .returning("id")
        .executeTakeFirstOrThrow()
    ).id;

  return app.db.transaction().execute(async (tx) => {
    const prompt_id = await id(tx, "prompts", {
      ...mine,
      name,
      type: "ca_v1",
      llm_config: JSON.stringify(SCRIPTED),
      last_updated: stamp,
      last_updated_by: caller.email,
    });
    const agent_id = await id(tx, "agents", {
      ...mine,
      name,
      type: "ca_v1",
      prompt_id,
      timezone,
      prompt_tool_defaults: "[]",
      variables: "{}",
      updated_at: stamp,
    });
    const channel_id = await id(tx, "channels", {
      organization_id: caller.organization_id,
      name,
      channel_service: mode === "email" ? "email" : "sip",
      supported_modes: mode,
      config: "{}",
      updated_at: stamp,
      last_updated_by: caller.email,
    });
    await id(tx, "channel_targets", {
      ...mine,
      channel_id,
      agent_id,
      target,
      target_mode: mode,
      updated_at: stamp,
      last_updated_by: caller.email,
    });
    return { agent_id };
  });
}

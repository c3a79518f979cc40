import type { TestApp } from "./app.ts";
import { createSender } from "./sender.ts";

export const NUMBER_GROUPS = "/api/v1/outbound/number-groups";

/** The channel targets of these numbers, each with an agent and a channel of its own, in their order. */
export async function createNumbers(
  app: TestApp,
  numbers: string[],
  caller = app.admin,
  mode: "voice" | "sms" = "voice",
): Promise<number[]> {
  const ids: number[] = [];
  for (const target of numbers) {
    await createSender(app, caller, { target, mode });
    const { id } = await app.db
      .selectFrom("channel_targets")
      .select("id")
      .where("target", "=", target)
      .where("target_mode", "=", mode)
      .where("sub_organization_id", "=", caller.sub_organization_id)
      .executeTakeFirstOrThrow();
    ids.push(id);
  }
  return ids;
}

import { refusalOf } from "../base/destination.ts";
import { unreachable } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { Reachable } from "../directory/transfer-destination.ts";
import { nameWithType, transferDestination } from "../directory/transfer-destination.ts";
import { done, failed, type ToolContext, type ToolOutcome, type ToolParts } from "./tool-outcome.ts";

/**
 * Finds the destination of a transfer that is open now, and asks the channel to transfer the call; only telephone calls can
 * be transferred. The model gets obstacles in words, so that it can ask again or explain.
 */
export async function transfer(
  { db, destinations }: Pick<ToolParts, "db" | "destinations">,
  context: ToolContext,
  values: Record<string, unknown>,
): Promise<ToolOutcome> {
  if (context.channel !== "voice") return failed("Transfer is only available on voice.", values);
  const wanted = String(values.destination ?? "");
  const reason = typeof values.reason === "string" ? values.reason : null;
  const instant = Temporal.Instant.fromEpochMilliseconds(context.at.getTime());
  const zone = context.snapshot.agent.timezone;
  const found = transferDestination(
    wanted,
    await loadMembers(db, context.sub_organization_id),
    {
      language: context.language,
      wallClock: (timezone) => instant.toZonedDateTimeISO(timezone ?? zone).toPlainDateTime(),
    },
    { any_number: values.any_number === true },
  );
  switch (found.kind) {
    case "reached": {
      const { number } = found;
      const refusal = refusalOf(number, destinations);
      if (refusal !== null) return failed(`Nobody is transferred there: ${refusal}.`, values);
      const member = found.member && {
        id: found.member.id,
        name: found.member.name,
        type: found.member.type,
      };
      const result = { action: "transfer", destination: member?.name ?? number };
      return done(result, { action: { action: "transfer", number, member, reason } }, values);
    }
    case "closed":
      return failed(`${found.member.name} can't be reached at this time in ${context.language}.`, values);
    case "ambiguous":
      return failed(`There are several: ${found.members.map(nameWithType).join(", ")}. Say which.`, values);
    case "unknown":
      return failed(
        found.closest.length > 0
          ? `The directory has no "${wanted}". Did you mean one of: ${found.closest.join(", ")}?`
          : "The directory is empty, so there is nobody to transfer to.",
        values,
      );
    case "not-allowed":
      return failed(`${wanted} is not in the directory, and this agent transfers to nobody else.`, values);
    default:
      return unreachable(found);
  }
}

/** The most members read: a directory has some hundred, and 10,000 take 40 ms. */
async function loadMembers(db: Db, sub_organization_id: number): Promise<Reachable[]> {
  const rows = await db
    .selectFrom("directory_members")
    .select(["id", "name", "type", "extensions"])
    .where("sub_organization_id", "=", sub_organization_id)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, extensions: (row.extensions ?? []) as Reachable["extensions"] }));
}

import type { addAccounts } from "../accounts/routes.ts";
import type { Clock } from "../base/clock.ts";
import { cancelBatches } from "../batches/cancel-batches.ts";
import { releaseTargets, takeTargetsBack } from "../channels/release-targets.ts";
import { ensureDefaultInsights } from "../insights/default-insights.ts";
import { ensureSystemTools } from "../tools/system-tools.ts";

type Changes = Pick<Parameters<typeof addAccounts>[1], "onCreate" | "onDelete" | "onRestore">;

/** What other rooms do when an organization is made, deleted and brought back, in the same transaction. */
export const organizationChanges = (clock: Clock): Changes => ({
  async onCreate(tx, administrator) {
    await ensureSystemTools(tx, administrator, clock.now());
    await ensureDefaultInsights(tx, administrator, clock.now());
  },
  async onDelete(tx, { organization_id }) {
    const targets = await releaseTargets(tx, organization_id);
    await cancelBatches(tx, clock, organization_id);
    return targets;
  },
  onRestore: takeTargetsBack,
});

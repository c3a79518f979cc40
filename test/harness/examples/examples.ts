import { ACCOUNTS } from "./accounts.ts";
import { AGENTS } from "./agents.ts";
import { CHANNELS } from "./channels.ts";
import { EVALUATIONS } from "./evaluations.ts";
import type { Examples } from "./example.ts";
import { INSIGHTS } from "./insights.ts";
import { OUTBOUND } from "./outbound.ts";
import { REPORTS } from "./reports.ts";
import { SESSIONS } from "./sessions.ts";

/** One call in order for every operation; the invariants (access, audit, fuzz) start from these. */
export const EXAMPLES: Examples = {
  ...ACCOUNTS,
  ...AGENTS,
  ...CHANNELS,
  ...SESSIONS,
  ...EVALUATIONS,
  ...OUTBOUND,
  ...INSIGHTS,
  ...REPORTS,
};

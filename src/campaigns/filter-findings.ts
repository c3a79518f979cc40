import type { ValidationIssue } from "../api/schema.ts";
import type { OutboundCampaign } from "./campaign-schema.ts";
import { FILTERED_FIELDS } from "./target-filter.ts";

/** Rules that are legal and can't mean what their author wants; pure. Whom a rule skips is skipped for good. */
export const filterFindings = ({
  target_filters,
}: Pick<OutboundCampaign, "target_filters">): ValidationIssue[] =>
  (target_filters?.rules ?? []).flatMap(({ field, op, values = [] }, index): ValidationIssue[] => {
    const at = `$.target_filters.rules[${index}]`;
    if (!FILTERED_FIELDS.includes(field)) {
      const message = `No lookup answers ${field}, so it is unknown of everybody. Known: ${FILTERED_FIELDS.join(", ")}.`;
      return [
        { id: "unknown-filter-field", severity: "warning", message, path: `${at}.field`, value: field },
      ];
    }
    if ((op === "in" || op === "eq") && values.length === 0) {
      const message = `The rule names no values, so nobody whose ${field} is known passes it.`;
      return [
        { id: "filter-without-values", severity: "warning", message, path: `${at}.values`, value: null },
      ];
    }
    return [];
  });

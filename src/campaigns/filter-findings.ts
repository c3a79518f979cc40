import type { ValidationIssue } from "../api/schema.ts";
import type { OutboundCampaign } from "./campaign-schema.ts";
import { FILTERED_FIELDS, NO_ANSWER } from "./target-filter.ts";

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
    const words = VOCABULARY[field]?.map((word) => word.toLowerCase());
    return values.flatMap((value, at_value): ValidationIssue[] => {
      const word = value.toLowerCase();
      const isUnknown = NO_ANSWER[field] === word;
      if (op.endsWith("exists") || words === undefined || (words.includes(word) && !isUnknown)) return [];
      const message = isUnknown
        ? `${value} is no answer of a lookup but the lack of one: on_unknown says what it counts as.`
        : `No lookup answers ${field} with ${value}. Known: ${VOCABULARY[field]?.join(", ")}.`;
      return [
        {
          id: "unknown-filter-value",
          severity: "warning",
          message,
          path: `${at}.values[${at_value}]`,
          value,
        },
      ];
    });
  });

/** The words of Twilio Lookup v2, which other carriers' lookups are put into, and their groups. */
const VOCABULARY: Readonly<Record<string, readonly string[]>> = {
  line_type:
    "mobile landline voip fixedVoip nonFixedVoip personal tollFree premium sharedCost uan voicemail pager".split(
      " ",
    ),
  caller_type: ["BUSINESS", "CONSUMER"],
};

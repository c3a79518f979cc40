import type { TestVerdict } from "../../evaluations/judge.ts";
import type { TestSummary } from "../../evaluations/summary.ts";

/** One result of a run, as the API tells it. */
export type EvaluatedResult = {
  case_name: string;
  repetition: number;
  status: "pending" | "passed" | "failed" | "error" | "skipped";
  session_id: number | null;
  verdicts: TestVerdict[];
  notes: string[];
};

const MARKS = { passed: "✓", failed: "✗", error: "!", skipped: "-", pending: "…" };

/** A line for each case, what failed of it and why, and the pass rate with its interval. */
export function reportOf(
  { agent, version, summary }: { agent: string; version: number | null; summary: TestSummary },
  results: EvaluatedResult[],
): string {
  const lines: string[] = [];
  for (const [name, own] of Map.groupBy(results, ({ case_name }) => case_name)) {
    const worst = own.find(({ status }) => status !== "passed") ?? own[0];
    const passed = own.filter(({ status }) => status === "passed").length;
    lines.push(
      `${MARKS[worst?.status ?? "pending"]} ${name}${own.length > 1 ? `  ${passed}/${own.length}` : ""}`,
    );
    lines.push(...detailsOf(own));
  }
  const { cases, cost_usd } = summary;
  const interval =
    cases.low === null || cases.high === null
      ? ""
      : ` (95 %: ${percent(cases.low)} to ${percent(cases.high)})`;
  lines.push(
    "",
    `${cases.passed} of ${cases.total} cases passed${interval}. Agent: ${agent}${version === null ? "" : `, version ${version}`}.`,
  );
  if (cost_usd > 0) lines.push(`Cost: ${dollars(cost_usd)}`);
  return `${lines.join("\n")}\n`;
}

/** "$0.0012", and "-$0.0012" for less of it. */
export const dollars = (usd: number): string => `${usd < 0 ? "-" : ""}$${Math.abs(usd).toFixed(4)}`;

/** Of the first repetition that did not pass, or its notes. */
function detailsOf(own: EvaluatedResult[]): string[] {
  const shown = own.find(({ status }) => status !== "passed") ?? own.find(({ notes }) => notes.length > 0);
  if (!shown) return [];
  const failed = unmet(shown.verdicts);
  return [
    ...failed.map((words) => `    ${words}`),
    ...shown.notes.map((note) => `    note: ${note}`),
    ...(failed.length > 0 && shown.session_id !== null ? [`    session ${shown.session_id}`] : []),
  ];
}

/** What was not met, those that fail the test first. */
const unmet = (verdicts: readonly TestVerdict[]): string[] =>
  verdicts
    .filter(({ passed }) => !passed)
    .toSorted((a, b) => Number(a.informs ?? false) - Number(b.informs ?? false))
    .map(({ expectation, why, informs }) => `${expectation}${informs ? " (informs only)" : ""}: ${why}`);

const percent = (rate: number): string => `${Math.round(rate * 1000) / 10} %`;

/** JUnit's XML, as continuous integration reads it. */
export function junitOf(suite: string, results: EvaluatedResult[]): string {
  const count = (status: string) => results.filter((result) => result.status === status).length;
  const cases = results.map(({ case_name, repetition, status, verdicts, notes }) => {
    const name = results.some(({ repetition }) => repetition > 1) ? `${case_name} #${repetition}` : case_name;
    const why = [...unmet(verdicts), ...notes].join("\n");
    const inner = {
      passed: "",
      failed: `<failure message="${escaped(why.split("\n")[0] ?? "")}">${escaped(why)}</failure>`,
      error: `<error message="${escaped(why.split("\n")[0] ?? "")}">${escaped(why)}</error>`,
      skipped: why === "" ? "<skipped/>" : `<skipped message="${escaped(why)}"/>`,
      pending: "<skipped/>",
    }[status];
    return `    <testcase classname="${escaped(suite)}" name="${escaped(name)}">${inner}</testcase>`;
  });
  const counts = `tests="${results.length}" failures="${count("failed")}" errors="${count("error")}" skipped="${count("skipped")}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="${escaped(suite)}" ${counts}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** XML has no way to write the other control characters. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

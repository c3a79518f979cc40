import { sql } from "kysely";

/** Of a run `r`: how many of its cases have a verdict so far, or how many of those passed in all their repetitions. */
export const caseCount = (counted: "passed" | "judged") => sql<number>`(
  select count(*) ${counted === "passed" ? sql`filter (where one_case.passed)` : sql``}
  from (
    select bool_and(status = 'passed') as passed from test_results
    where run_id = r.id and status in ('passed', 'failed', 'error') group by case_name) as one_case)`;

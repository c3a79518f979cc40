import { readFile } from "node:fs/promises";
import { errorText, Fault } from "../base/errors.ts";
import { Scenario } from "./people.ts";

/** The people of a file, checked whole; a file that can't be used ends the start with a sentence that says why. */
export async function readSimulation({
  simulator: { scenario_file, speed },
}: {
  simulator: { scenario_file: string | null; speed: number };
}): Promise<{ scenario: Scenario; speed: number }> {
  if (scenario_file === null) return { scenario: Scenario.parse({}), speed };
  let given: unknown;
  try {
    given = JSON.parse(await readFile(scenario_file, "utf8"));
  } catch (cause) {
    throw new Fault(
      "unavailable",
      `SIMULATOR_SCENARIO: ${scenario_file} can't be read: ${errorText(cause)}`,
      {
        cause,
      },
    );
  }
  const read = Scenario.safeParse(given);
  if (read.success) return { scenario: read.data, speed };
  const faults = read.error.issues.map((issue) => `  - ${issue.path.join(".")}: ${issue.message}`);
  throw new Fault("unavailable", `SIMULATOR_SCENARIO: ${scenario_file} is wrong:\n${faults.join("\n")}`);
}

import fc from "fast-check";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { meets, NO_CONDITIONS, type Subject } from "../../../src/insights/conditions.ts";
import { matchingSubjects } from "../../../src/insights/matching.ts";
import type { StoredWorkflow } from "../../../src/insights/workflow-schema.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf, pastSession } from "../../harness/insights.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
const sessions: Subject[] = [];
const files: Subject[] = [];
let folders: number[];

/** Some of everything that conditions tell apart. */
beforeAll(async () => {
  app = await createTestApp();
  const make = insightsOf(app);
  folders = [(await make.folder()).id, (await make.folder()).id];
  for (let n = 0; n < 60; n++) {
    const agent_id = [1, 7, 12][n % 3] as number;
    const agent_name = ["7", "Front desk", "12"][n % 3] as string;
    const prompt_name = ["Booking", "1", "it's"][n % 3] as string;
    const duration = n % 5 === 0 ? null : n * 7.5;
    const id = await pastSession(app, app.admin, {
      agent_id,
      agent_name,
      prompt_name,
      duration,
      lasted_s: n,
    });
    sessions.push({
      id,
      duration_s: duration ?? n,
      agents: [String(agent_id), agent_name],
      prompts: ["1", prompt_name],
      folder_id: null,
    });
  }
  for (let n = 0; n < 40; n++) {
    const folder_id = folders[n % 2] as number;
    const agent_number = [null, "7", "Agnes"][n % 3] ?? null;
    const duration = n % 4 === 0 ? null : n * 10;
    const { id } = await app.db
      .insertInto("insight_files")
      .values({
        sub_organization_id: app.admin.sub_organization_id,
        folder_id,
        filename: "x.wav",
        object_key: "x",
        media_type: "audio/wav",
        size_bytes: 1,
        call_id: `call-${n}`,
        agent_number,
        duration,
        created_at: app.clock.now().toISOString(),
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    const agents = agent_number === null ? [] : [agent_number];
    files.push({ id, duration_s: duration, agents, prompts: [], folder_id });
  }
});

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value);
const anyConditions = () =>
  fc.record({
    min_duration: nullable(fc.integer({ min: 0, max: 450 })),
    max_duration: nullable(fc.integer({ min: 0, max: 450 })),
    sample_rate: nullable(
      fc.oneof(fc.constantFrom(0, 0.1, 10, 50, 100), fc.double({ min: 0, max: 100, noNaN: true })),
    ),
    agent_list: nullable(
      fc.oneof(
        fc.subarray([1, 7, 12, 99]),
        fc.subarray(["1", "7", "007", "Front desk", "Agnes", "it's", "9".repeat(30), ""]),
      ),
    ),
    prompt_list: nullable(fc.subarray(["Booking", "1", "it's", "%", "2"])),
    folder_list: nullable(fc.subarray(folders)),
    sheet_info: fc.constant(null),
  });

test("the database finds exactly what the pure conditions and the sample let pass", async () => {
  const span = { from: "2000-01-01T00:00:00Z", to: app.clock.now() };
  await fc.assert(
    fc.asyncProperty(
      anyConditions(),
      fc.constantFrom("agent" as const, "upload" as const),
      fc.integer({ min: 1, max: 2 ** 40 }),
      fc.subarray([1, 7, 12]),
      async (conditions, source, id, agent_ids) => {
        const workflow: StoredWorkflow = {
          id,
          sub_organization_id: app.admin.sub_organization_id,
          name: "w",
          source,
          conditions: { ...NO_CONDITIONS, ...conditions },
          agent_ids,
          prompt_ids: [],
          start_datetime: null,
          end_datetime: null,
          status: "INACTIVE",
          activated_at: null,
          covered: null,
          insight_tools: [],
        };
        const query = matchingSubjects(app.db, workflow, span);
        const found = await query?.orderBy(sql.ref("id")).execute();
        const expected = (source === "agent" ? sessions : files).filter((subject) =>
          meets(workflow, subject),
        );
        expect(found).toEqual(expected.map(({ id, duration_s }) => ({ id, duration_s })));
      },
    ),
    { numRuns: rounds(300) },
  );
});

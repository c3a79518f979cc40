import { Accordion, Alert, Autocomplete, Badge, Button, Group, Stack, Text } from "@mantine/core";
import type { FormErrors } from "@mantine/form";
import { IconAlertTriangle, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { TestCase, TestSuiteResponse } from "../api-types.ts";
import { DownloadButton } from "../parts/download-button.tsx";
import { Panel } from "../parts/parts.tsx";
import { ViewTabs } from "../parts/view-tabs.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { NameFields } from "../records/common-fields.tsx";
import { fieldsOf } from "../records/record-fields.ts";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import type { RecordFormProps } from "../records/record-page.tsx";
import { call } from "../server/api.ts";
import { fieldLabel } from "../server/field-labels.ts";
import { CaseFields } from "./case-fields.tsx";
import { RunButton } from "./run-window.tsx";
import { RunsPanel } from "./runs-panel.tsx";
import { SchedulePanel } from "./schedule-panel.tsx";

const fields = fieldsOf("PUT /api/v1/test_suites/", {
  name: { initial: "" },
  description: { initial: "" },
  agent: { initial: "" },
  cases: { initial: [], label: "Tests" },
});
type Values = ReturnType<typeof fields.values>;

export default recordPage({
  operations: {
    list: "GET /api/v1/test_suites/",
    read: "GET /api/v1/test_suites/{suite_id}",
    create: "POST /api/v1/test_suites/",
    update: "PUT /api/v1/test_suites/",
    remove: "DELETE /api/v1/test_suites/{suite_id}",
  },
  permission: "tests",
  noun: "Suite",
  queryKey: "test suite",
  list: { to: "/tests", label: "Tests" },
  newTitle: "New suite of tests",
  title: "Suite of tests",
  acrossViews: true,
  ...fields,
  Around: ({ record, children }) => (
    <Stack gap="md">
      <Group gap="xs">
        <RunButton suite={record} />
        <ExportSuite suite={record} />
      </Group>
      <ViewTabs
        label="Views of the suite"
        views={{ runs: "Runs", tests: `Tests (${record.case_count})`, schedule: "Schedule" }}
      >
        {(view) =>
          view === "runs" ? (
            <RunsPanel suite={record} />
          ) : view === "schedule" ? (
            <SchedulePanel suite={record} />
          ) : (
            children
          )
        }
      </ViewTabs>
    </Stack>
  ),
  Form: SuiteForm,
});

function SuiteForm({ form, record, readOnly, frame }: RecordFormProps<TestSuiteResponse, Values>) {
  const { cases, agent } = form.getValues();
  const [open, setOpen] = useState<string | null>(null);
  const agents = useQuery({
    queryKey: ["GET /api/v1/agents/", "names"],
    queryFn: ({ signal }) => call("GET /api/v1/agents/", { query: { limit: 200, order_by: "name" }, signal }),
  });
  const set = (next: TestCase[]) => form.setFieldValue("cases", next);
  const findings = record?.findings ?? [];
  return (
    <Stack gap="md">
      {findings.length > 0 && (
        <Alert color="yellow" icon={<IconAlertTriangle />} title="Check this">
          {findings.map(({ path, message }) => (
            <div key={`${path} ${message}`}>
              <b dir="auto">{placeOf(path, cases)}</b>: {message}
            </div>
          ))}
        </Alert>
      )}
      <RecordFormFrame {...frame}>
        <Panel title="The suite">
          <Stack gap="md">
            <NameFields form={form} />
            <Autocomplete
              label="Agent"
              description="The agent under test. A run can use another one."
              required
              data={(agents.data?.items ?? []).map(({ name }) => name)}
              value={agent}
              onChange={(name) => form.setFieldValue("agent", name)}
              error={form.errors.agent}
            />
          </Stack>
        </Panel>
        <Panel title="Tests" flush>
          {cases.length === 0 && (
            <Text size="sm" c="dimmed" p="md">
              No tests yet. A test is a conversation: the person's messages, and what you expect of the agent.
            </Text>
          )}
          <Accordion value={open} onChange={setOpen} chevronPosition="left">
            {cases.map((each, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a name may be typed at this moment
              <Accordion.Item key={index} value={String(index)}>
                <Accordion.Control>
                  <Group gap="xs">
                    <bdi>{each.name || "Unnamed test"}</bdi>
                    {Object.keys(errorsOf(form.errors, index)).length > 0 && (
                      <Badge color="red">has errors</Badge>
                    )}
                  </Group>
                </Accordion.Control>
                <Accordion.Panel>
                  {open === String(index) && (
                    <CaseFields
                      value={each}
                      onChange={(next) => set(cases.with(index, next))}
                      onRemove={() => {
                        setOpen(null);
                        set(cases.toSpliced(index, 1));
                      }}
                      errors={errorsOf(form.errors, index)}
                      readOnly={readOnly}
                    />
                  )}
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
          {!readOnly && (
            <Group p="md">
              <Button
                variant="default"
                leftSection={<IconPlus size={15} />}
                onClick={() => {
                  set([...cases, NEW_TEST]);
                  setOpen(String(cases.length));
                }}
              >
                Add test
              </Button>
            </Group>
          )}
        </Panel>
      </RecordFormFrame>
    </Stack>
  );
}

const NEW_TEST: TestCase = {
  name: "",
  channel: "chat",
  variables: {},
  caller: { address: "tester", verified: true },
  person: [""],
  mocks: [],
  network: "closed",
  expect: { said: [""] },
};

/** What the API says of one test. */
function errorsOf(errors: FormErrors, index: number): FormErrors {
  const prefix = `cases.${index}.`;
  return Object.fromEntries(
    Object.entries(errors).flatMap(([path, message]) =>
      path.startsWith(prefix) ? [[path.slice(prefix.length), message]] : [],
    ),
  );
}

/** "cases[1].expect" → the test by its name. */
function placeOf(path: string, cases: readonly TestCase[]): string {
  const found = /^cases\[(\d+)\]\.?(.*)$/.exec(path);
  const name = found && cases[Number(found[1])]?.name;
  const place = (found ? (found[2] ?? "") : path).replaceAll(/\[(\d+)\]/g, ".$1");
  return [name, place && fieldLabel(place)].filter(Boolean).join(", ");
}

const ExportSuite = ({ suite }: { suite: TestSuiteResponse }) => (
  <DownloadButton
    label="Export"
    name={`${suite.name}.yaml`}
    fetch={async () => {
      const { text } = await call("GET /api/v1/test_suites/{suite_id}/export", {
        path: { suite_id: suite.id },
      });
      return new Blob([text], { type: "application/yaml" });
    }}
  />
);

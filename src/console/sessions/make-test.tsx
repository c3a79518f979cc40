import { Button, SegmentedControl, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFlask } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { SessionDetail, TestSuiteResponse } from "../api-types.ts";
import { RecordSelect } from "../lists/record-select.tsx";
import { counted } from "../parts/counted.ts";
import { notChosen } from "../records/field-errors.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const SUITES = "GET /api/v1/test_suites/";

/** Makes a test of a conversation: what the person said, what the tools answered, which were called. */
export function MakeTest({ id, session }: { id: string; session: SessionDetail }) {
  const may = useMay();
  const [opened, { open, close }] = useDisclosure(false);
  const { agent_name } = session;
  if (!may("tests_write") || !agent_name) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconFlask size={15} />} onClick={open}>
        Make a test
      </Button>
      {opened && <TestWindow session_id={Number(id)} agent={agent_name} onClose={close} />}
    </>
  );
}

type Wanted = {
  name: string;
  person: "lines" | "recording";
  where: "new" | "stored";
  suite_id: number | null;
  suite: string;
};

function TestWindow(props: { session_id: number; agent: string; onClose(): void }) {
  const { session_id, agent, onClose } = props;
  const client = useQueryClient();
  const navigate = useNavigate();
  const { form, sending } = useWindowForm({
    initial: {
      name: `Session ${session_id}`,
      person: "lines",
      where: "stored",
      suite_id: null,
      suite: `${agent} tests`,
    } as Wanted,
    send: (wanted) => addTest(session_id, agent, wanted),
    async onSent({ id }) {
      onClose();
      await Promise.all([[SUITES], ["test suite"]].map((queryKey) => client.invalidateQueries({ queryKey })));
      await navigate({ to: `/tests/${id}`, search: { view: "tests" } as never });
    },
  });
  const { where, suite_id, person } = form.getValues();
  return (
    <WindowForm
      title="Make a test of this conversation"
      verb="Make the test"
      sending={sending}
      onClose={onClose}
    >
      <Text size="sm">
        The test repeats the person's messages, and tools answer as recorded. It expects the same tool calls;
        add further expectations.
      </Text>
      <TextInput label="Name of the test" required {...form.getInputProps("name")} />
      <SegmentedControl
        aria-label="What the person says"
        data={[
          { value: "lines", label: "Their lines, copied" },
          { value: "recording", label: "The recording itself" },
        ]}
        {...form.getInputProps("person")}
      />
      {person === "recording" && (
        <Text size="sm" c="dimmed">
          Nothing that was said is copied into the suite; when the session is deleted, the test can't be
          played any more.
        </Text>
      )}
      <SegmentedControl
        aria-label="Suite"
        data={[
          { value: "stored", label: "Add to a suite" },
          { value: "new", label: "New suite" },
        ]}
        {...form.getInputProps("where")}
      />
      {where === "stored" ? (
        <RecordSelect
          operation={SUITES}
          label="Suite"
          required
          value={suite_id}
          onChange={(chosen) => form.setFieldValue("suite_id", chosen)}
          error={form.errors.suite_id}
        />
      ) : (
        <TextInput label="Name of the suite" required {...form.getInputProps("suite")} />
      )}
    </WindowForm>
  );
}

const CHOOSE = "Choose a suite.";
async function addTest(session_id: number, agent: string, wanted: Wanted): Promise<TestSuiteResponse> {
  if (wanted.where === "stored" && wanted.suite_id === null) throw notChosen("suite_id", CHOOSE);
  const made = await call("GET /api/v1/sessions/{session_id}/test_case", {
    path: { session_id },
    query: { person: wanted.person },
  });
  const test = { ...made, name: wanted.name };
  if (wanted.where === "new" || wanted.suite_id === null)
    return call("POST /api/v1/test_suites/", { body: { name: wanted.suite, agent, cases: [test] } });
  const suite = await call("GET /api/v1/test_suites/{suite_id}", { path: { suite_id: wanted.suite_id } });
  const { id, name, description, agent: tested, cases } = suite;
  return call("PUT /api/v1/test_suites/", {
    body: { id, name, description, agent: tested, cases: [...cases, test] },
  });
}

/** Makes a test of each session that was selected, such as of all that failed last week. */
export function MakeTests({ keys }: { keys: string[] }) {
  const may = useMay();
  const [opened, { open, close }] = useDisclosure(false);
  if (!may("tests_write")) return null;
  return (
    <>
      <Button variant="default" size="compact-sm" leftSection={<IconFlask size={15} />} onClick={open}>
        {`Make ${counted(keys.length, "test")}`}
      </Button>
      {opened && <TestsWindow keys={keys} onClose={close} />}
    </>
  );
}

function TestsWindow({ keys, onClose }: { keys: string[]; onClose(): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { form, sending } = useWindowForm({
    initial: { suite_id: null as number | null },
    send: ({ suite_id }) => addTests(keys, suite_id),
    async onSent({ id }) {
      onClose();
      await Promise.all([[SUITES], ["test suite"]].map((queryKey) => client.invalidateQueries({ queryKey })));
      await navigate({ to: `/tests/${id}`, search: { view: "tests" } as never });
    },
  });
  return (
    <WindowForm
      title={`Make ${counted(keys.length, "test")}`}
      verb="Make"
      sending={sending}
      onClose={onClose}
    >
      <Text size="sm">
        Each test repeats the person's messages, and tools answer as recorded. It expects the same tool calls;
        add what should have happened instead.
      </Text>
      <RecordSelect
        operation={SUITES}
        label="Suite"
        description="Its agent is tested."
        required
        value={form.getValues().suite_id}
        onChange={(chosen) => form.setFieldValue("suite_id", chosen)}
        error={form.errors.suite_id}
      />
    </WindowForm>
  );
}

async function addTests(keys: string[], suite_id: number | null): Promise<TestSuiteResponse> {
  if (suite_id === null) throw notChosen("suite_id", CHOOSE);
  const suite = await call("GET /api/v1/test_suites/{suite_id}", { path: { suite_id } });
  const { id, name, description, agent, cases } = suite;
  const taken = new Set(cases.map((test) => test.name));
  // One after the other: a hundred at once would be refused for their number.
  for (const key of [...keys].sort((a, b) => Number(a) - Number(b))) {
    const test = await call("GET /api/v1/sessions/{session_id}/test_case", {
      path: { session_id: Number(key) },
      query: { person: "lines" },
    });
    // A session that is a test of this suite already stays one.
    if (!taken.has(test.name)) cases.push(test);
  }
  return call("PUT /api/v1/test_suites/", { body: { id, name, description, agent, cases } });
}

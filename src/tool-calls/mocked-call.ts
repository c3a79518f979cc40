import type { SnapshotTest, SnapshotTool, ToolMock } from "../agents/snapshot.ts";
import { callsService } from "../tools/tool-definition.ts";
import { contains } from "./contains.ts";
import { failed, type ToolOutcome } from "./tool-outcome.ts";

const DEFAULT_TIMEOUT_S = 20;

/** The call of a tool whose service may not be reached in a test, as stored in `request`. */
export const NO_MOCK = "no mock";

/**
 * The answer to a call in a test session: of the first mock that matches, or a refusal where the tool calls a service and
 * the network is closed. null: the tool runs as it would for anybody. Pure.
 */
export function answerInTest(
  { mocks, network }: SnapshotTest,
  tool: SnapshotTool,
  values: Record<string, unknown>,
): ToolOutcome | null {
  const index = mocks.findIndex(
    (mock) => mock.tool === tool.name && (mock.match === null || contains(values, mock.match)),
  );
  const mock = mocks[index];
  if (mock) return answered(mock, index, tool, values);
  if (network === "open" || tool.is_system || !callsService(tool.definition)) return null;
  return failed(
    `No mock of this test matches the call of ${tool.name}, and the network is closed in tests.`,
    { mock: NO_MOCK, arguments: values },
  );
}

function answered(
  mock: ToolMock,
  index: number,
  { name, definition }: SnapshotTool,
  values: Record<string, unknown>,
): ToolOutcome {
  const request = mock.is_recorded
    ? { recorded: true, arguments: values }
    : { mock: index + 1, arguments: values };
  const timeout_s = definition.endpoint?.timeout ?? definition.mcp?.timeout ?? DEFAULT_TIMEOUT_S;
  const note = {
    category: "note" as const,
    label: `${name} was answered ${mock.is_recorded ? "as recorded" : `by mock ${index + 1} of the test`}`,
    ...(mock.delay_ms > 0 && { details: { delay_ms: mock.delay_ms } }),
  };
  if (mock.delay_ms > timeout_s * 1000)
    return failed(`The service did not answer within ${timeout_s} s.`, request, [note]);
  if (mock.error !== null) return failed(mock.error, request, [note]);
  return { prepared: values, request, result: mock.result, error: null, effects: {}, trace: [note] };
}

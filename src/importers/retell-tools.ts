import { z } from "zod";
import type { ImportTools } from "./import-draft.ts";
import type { FieldPath } from "./report.ts";
import { transferLine } from "./transfers.ts";

const text = () => z.string().nullish();

export const RetellTool = z.looseObject({
  type: z.string(),
  name: z.string(),
  description: text(),
  url: text(),
  method: text(),
  parameters: z.unknown().optional(),
  headers: z.record(z.string(), z.unknown()).nullish(),
  query_params: z.record(z.string(), z.unknown()).nullish(),
  timeout_ms: z.number().nullish(),
  args_at_root: z.boolean().nullish(),
  transfer_destination: z.looseObject({ type: text(), number: text(), prompt: text() }).nullish(),
});
type RetellTool = z.infer<typeof RetellTool>;

/** Makes what a tool of Retell is here; the name that the prompt offers, or null where it is left out. */
export function retellTool(
  tool: RetellTool,
  root: FieldPath,
  prompt: string[],
  tools: ImportTools,
): string | null {
  const { toolbox } = tools;
  const renamed = (own: string) => {
    tools.note([...root, "name"], "approximated", `Called ${own} here. Change it where the prompt names it.`);
    if (tool.description) {
      const when = tools.text(tool.description, [...root, "description"], "A line of the prompt.");
      prompt.push(`${own}: ${when}`);
    }
    return toolbox.builtIn(own, [...root, "type"], `The built-in tool ${own}.`);
  };
  switch (tool.type) {
    case "end_call":
      return renamed("hangup");
    case "press_digit":
      return renamed("send_dtmf");
    case "transfer_call": {
      const { transfer_destination: to } = tool;
      const path = [...root, "transfer_destination"];
      if (to?.type) tools.note([...path, "type"], "mapped", "How the destination is known.");
      if (to?.prompt) prompt.push(tools.text(to.prompt, [...path, "prompt"], "A line of the prompt."));
      else
        prompt.push(
          transferLine(tools, {
            to: to?.number ?? null,
            when: null,
            path: to?.number ? [...path, "number"] : path,
            when_path: path,
          }),
        );
      return renamed("transfer");
    }
    case "custom":
      return custom(tool, root, tools);
    default:
      tools.note(root, "no equivalent", "Parley has no tool of this type; it is left out.");
      return null;
  }
}

function custom(tool: RetellTool, root: FieldPath, tools: ImportTools): string | null {
  const method = tool.method ?? "POST";
  const inQuery = /^(get|delete)$/i.test(method);
  const made = tools.toolbox.endpoint({
    root,
    name: tool.name,
    description: tool.description ?? "",
    url: tool.url ?? null,
    method,
    location: inQuery ? "query" : "body",
    parameters: tool.parameters,
    fixed: Object.entries(tool.query_params ?? {}).map(([name, value]) => ({
      name,
      value,
      path: [...root, "query_params", name],
    })),
    headers: tool.headers ?? {},
    timeout_s: tool.timeout_ms == null ? null : Math.ceil(tool.timeout_ms / 1000),
    paths: {
      name: [...root, "name"],
      description: [...root, "description"],
      parameters: [...root, "parameters"],
      method: [...root, "method"],
      url: [...root, "url"],
      headers: [...root, "headers"],
      timeout: [...root, "timeout_ms"],
    },
  });
  if (made === null) return null;
  if (tool.args_at_root != null)
    tools.note([...root, "args_at_root"], "mapped", "Parley sends the arguments themselves.");
  if (tool.args_at_root || inQuery) tools.note([...root, "type"], "mapped", "An endpoint tool.");
  else
    tools.note(
      [...root, "type"],
      "approximated",
      "An endpoint tool. Retell sends {name, call, args}; Parley posts the arguments themselves as JSON: the service has to take that.",
    );
  if (!inQuery)
    for (const name of Object.keys(tool.query_params ?? {}))
      tools.note([...root, "query_params", name], "approximated", "Sent with the other arguments.");
  return made;
}

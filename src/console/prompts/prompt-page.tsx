import { recordPage } from "../records/build-record-page.tsx";
import { PromptForm } from "./prompt-form.tsx";
import { PROMPT_LABELS, type PromptValues, promptBody, promptValues } from "./prompt-values.ts";

export default recordPage({
  operations: {
    list: "GET /api/v1/prompts/",
    read: "GET /api/v1/prompts/{prompt_id}",
    create: "POST /api/v1/prompts/",
    update: "PUT /api/v1/prompts/",
    remove: "DELETE /api/v1/prompts/{prompt_id}",
  },
  permission: "prompts",
  noun: "Prompt",
  queryKey: "prompt",
  list: { to: "/prompts", label: "Prompts" },
  newTitle: "New prompt",
  title: "Prompt",
  version: ({ version_number }) => version_number ?? 1,
  alsoInvalidates: [["prompt history"]],
  acrossViews: true,
  values: promptValues,
  labels: PROMPT_LABELS,
  body: (values: PromptValues) => promptBody(values),
  Form: PromptForm,
});

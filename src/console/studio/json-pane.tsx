import { Button, Group, Text } from "@mantine/core";
import type { ToolDefinition } from "../api-types.ts";
import { JsonEditor } from "../editors/json-editor.tsx";
import { definitionFault } from "../workflows/definition-shape.ts";
import type { PlacedIssue } from "../workflows/issue-places.ts";

/** The definition as JSON beside the canvas. What can't be read yet is kept, and the canvas shows the last that could. */
export function JsonPane(props: {
  definition: ToolDefinition;
  onChange(definition: ToolDefinition): void;
  issues: readonly PlacedIssue[];
  text: string | null;
  onText(text: string | null): void;
  onRestore(): void;
  readOnly: boolean;
}) {
  const { definition, onChange, issues, text, onText, onRestore, readOnly } = props;
  return (
    <>
      <JsonEditor
        label="Definition"
        value={definition}
        onChange={(value) => onChange(value as ToolDefinition)}
        check={definitionFault}
        marks={issues}
        kept={{ text, keep: onText }}
        readOnly={readOnly}
      />
      {text !== null && (
        <Group gap="xs" mt="xs">
          <Text size="sm">The canvas shows the last valid definition.</Text>
          <Button size="compact-sm" variant="default" onClick={onRestore}>
            Restore it
          </Button>
        </Group>
      )}
    </>
  );
}

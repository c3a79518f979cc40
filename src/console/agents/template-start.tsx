import { Button, FileButton, SimpleGrid, Text, UnstyledButton } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AgentTemplate } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { Failure, Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { NameWindow, useOpenMade } from "./agent-files.tsx";
import { CREATOR_ZONE } from "./agent-values.ts";
import classes from "./template-start.module.css";

/**
 * Begins an agent with a template or with a file of one: with all its parts, ready to be talked with. `name` was typed before
 * a template was chosen.
 */
export function TemplateStart({ name }: { name: string }) {
  const may = useMay()("agents_write");
  const [chosen, setChosen] = useState<AgentTemplate | null>(null);
  const open = useOpenMade({ ignoreBlocker: true });
  const templates = useQuery({
    queryKey: ["GET /api/v1/agents/templates"],
    staleTime: 300_000,
    enabled: may,
    queryFn: ({ signal }) => call("GET /api/v1/agents/templates", { signal }),
  });
  const importing = useAction({
    mutationFn: async (file: File) =>
      call("POST /api/v1/agents/import", { body: { text: await file.text() } }),
    onSuccess: open,
  });
  if (!may) return null;
  return (
    <Panel
      title="Start from a template"
      actions={
        <FileButton
          accept=".yaml,.yml,.json"
          onChange={(file) => {
            if (file) importing.mutate(file);
          }}
        >
          {(button) => (
            <Button
              {...button}
              size="compact-sm"
              variant="default"
              leftSection={<IconUpload size={14} />}
              loading={importing.isPending}
            >
              Import a file
            </Button>
          )}
        </FileButton>
      }
    >
      {importing.error && <Failure error={importing.error} />}
      <Fetched query={templates} lines={4}>
        {(found) => (
          <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm">
            {found.map((template) => (
              <div key={template.key} className={classes.template}>
                <UnstyledButton className={classes.choose} fw={600} onClick={() => setChosen(template)}>
                  {template.title}
                </UnstyledButton>
                <Text size="sm" c="dimmed">
                  {template.description}
                </Text>
                {template.tools.length > 0 && (
                  <Text size="xs" c="dimmed" mt={6}>
                    Includes {template.tools.join(", ")}
                  </Text>
                )}
              </div>
            ))}
          </SimpleGrid>
        )}
      </Fetched>
      {chosen && (
        <NameWindow
          title={chosen.title}
          name={name}
          verb="Create agent"
          make={(name) =>
            call("POST /api/v1/agents/from_template", {
              body: { template: chosen.key, name, timezone: CREATOR_ZONE },
            })
          }
          open={open}
          onClose={() => setChosen(null)}
        />
      )}
    </Panel>
  );
}

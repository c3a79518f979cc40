import { Button, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCopy } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { AgentResponse, ImportedAgent } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import { DownloadButton } from "../parts/download-button.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";

const LISTS = ["agents", "prompts", "tools", "services", "custom_messages", "language_groups"];

/**
 * Opens the agent that was just made, and has the lists of what came with it read again. With `ignoreBlocker` the new agent
 * takes the place of one that was begun in a form, and nobody is asked about that.
 */
export function useOpenMade({ ignoreBlocker = false }: { ignoreBlocker?: boolean } = {}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async ({ agent, parts }: ImportedAgent): Promise<void> => {
    const made = parts.filter(({ is_new }) => is_new).length;
    notifications.show({
      message: `${agent.name} created with ${counted(made, "new part")}`,
      color: "green",
      autoClose: 4000,
    });
    await Promise.all(LISTS.map((list) => client.invalidateQueries({ queryKey: [`GET /api/v1/${list}/`] })));
    await navigate({ to: `/agents/${agent.id}`, ignoreBlocker, replace: ignoreBlocker });
  };
}

/** A short window that asks for the name of an agent to be made. */
export function NameWindow(props: {
  title: string;
  name: string;
  verb: string;
  make(name: string): Promise<ImportedAgent>;
  open(made: ImportedAgent): Promise<void>;
  onClose(): void;
}) {
  const { title, name, verb, make, open, onClose } = props;
  const { form, sending } = useWindowForm({
    initial: { name },
    send: (values) => make(values.name),
    async onSent(made) {
      onClose();
      await open(made);
    },
  });
  return (
    <WindowForm title={title} verb={verb} sending={sending} onClose={onClose}>
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
    </WindowForm>
  );
}

/** A copy with instructions and a greeting of its own, to try a change on. */
export function DuplicateAgent({ agent }: { agent: AgentResponse }) {
  const [isOpen, setOpen] = useState(false);
  const open = useOpenMade();
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconCopy size={14} />}
        onClick={() => setOpen(true)}
      >
        Duplicate
      </Button>
      {isOpen && (
        <NameWindow
          title={`Duplicate ${agent.name}`}
          name={`${agent.name} copy`}
          verb="Duplicate"
          make={(name) =>
            call("POST /api/v1/agents/{agent_id}/duplicate", { path: { agent_id: agent.id }, body: { name } })
          }
          open={open}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** The agent and all it is made of as one YAML file. */
export const ExportAgent = ({ agent }: { agent: AgentResponse }) => (
  <DownloadButton
    label="Export"
    size="compact-sm"
    name={`${agent.name}.yaml`}
    fetch={async () => {
      const { text } = await call("GET /api/v1/agents/{agent_id}/export", { path: { agent_id: agent.id } });
      return new Blob([text], { type: "application/yaml" });
    }}
  />
);

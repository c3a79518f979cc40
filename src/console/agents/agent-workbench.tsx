import { Box, Grid, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import type { AgentResponse } from "../api-types.ts";
import { useMay } from "../server/me.tsx";
import { DuplicateAgent, ExportAgent } from "./agent-files.tsx";
import { ReleasePanel } from "./release-panel.tsx";
import { AddressSection } from "./sections/address-section.tsx";
import { DialingSection } from "./sections/dialing-section.tsx";
import { GreetingSection } from "./sections/greeting-section.tsx";
import { InstructionsSection } from "./sections/instructions-section.tsx";
import { KnowledgeSection } from "./sections/knowledge-section.tsx";
import { LanguagesSection } from "./sections/languages-section.tsx";
import { RetentionSection } from "./sections/retention-section.tsx";
import { TalkPane } from "./talk/talk-pane.tsx";

/** All an agent is made of on one page, each part saved by itself; beside it a test conversation that stays in sight. */
export function AgentWorkbench({ agent, children }: { agent: AgentResponse; children: ReactNode }) {
  const may = useMay();
  const mayTalk = may("chat");
  return (
    <Grid gap="md" align="flex-start">
      <Grid.Col span={{ base: 12, lg: mayTalk ? 7 : 12 }}>
        <Stack gap="md">
          <ReleasePanel agent={agent} />
          <Group gap="xs">
            {may("agents_write") && <DuplicateAgent agent={agent} />}
            <ExportAgent agent={agent} />
          </Group>
          {agent.prompt && (
            <InstructionsSection key={`prompt ${agent.prompt.id}`} agent={agent} prompt={agent.prompt} />
          )}
          <GreetingSection agent={agent} />
          {may("language_groups_read") && <LanguagesSection agent={agent} />}
          {may("data_sources_read") && <KnowledgeSection agent={agent} />}
          {may("channels_read") && <AddressSection agent={agent} />}
          {children}
          <DialingSection agent_id={agent.id} />
          <RetentionSection agent_id={agent.id} />
        </Stack>
      </Grid.Col>
      {mayTalk && (
        <Grid.Col span={{ base: 12, lg: 5 }} pos={{ lg: "sticky" }} top={{ lg: 16 }}>
          <Box>
            <TalkPane agent_id={agent.id} />
          </Box>
        </Grid.Col>
      )}
    </Grid>
  );
}

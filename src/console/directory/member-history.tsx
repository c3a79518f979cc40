import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DirectoryMember, DirectoryMemberHistoryResponse } from "../api-types.ts";
import { DifferenceList } from "../changes/difference-list.tsx";
import { differences } from "../changes/differences.ts";
import { Fetched, Panel } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { Time } from "../time/time.tsx";
import { MEMBER_LABELS } from "./member-values.ts";

const WORDS: Record<NonNullable<DirectoryMemberHistoryResponse["operation"]>, string> = {
  create: "made",
  update: "changed",
  delete: "deleted",
  restore: "restored",
  bulk_load: "from a file",
};
const SHOWN = 100;

type Props = {
  member: DirectoryMember;
  onTake: ((version: DirectoryMemberHistoryResponse) => void) | null;
};

/** Versions of the member, each compared with the current one; any can be restored into the form. */
export function MemberHistory({ member, onTake }: Props) {
  const [open, setOpen] = useState<number | null>(null);
  const history = useQuery({
    queryKey: ["directory history", member.id],
    queryFn: ({ signal }) =>
      call("GET /api/v1/directory_members/{member_id}/history", {
        path: { member_id: member.id },
        query: { limit: SHOWN, order_by_direction: "desc" },
        signal,
      }),
  });
  return (
    <Panel title="Versions">
      <Fetched query={history} lines={3}>
        {({ items }) => (
          <Stack gap="sm">
            {items.map((version, index) => (
              <div key={version.version}>
                <Group gap="xs" justify="space-between">
                  <Text size="sm">
                    <b>Version {version.version}</b>
                    {index === 0 && " (now)"}, {version.operation ? WORDS[version.operation] : "changed"}{" "}
                    <Time at={version.timestamp} kind="minute" /> by {version.user_email}
                    {version.comments && (
                      <>
                        : <bdi>{version.comments}</bdi>
                      </>
                    )}
                  </Text>
                  {index > 0 && (
                    <Group gap="xs">
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-expanded={open === version.version}
                        onClick={() => setOpen(open === version.version ? null : version.version)}
                      >
                        Compare
                      </Button>
                      {onTake && (
                        <Button size="compact-sm" variant="default" onClick={() => onTake(version)}>
                          Restore version {version.version}
                        </Button>
                      )}
                    </Group>
                  )}
                </Group>
                {open === version.version && (
                  <DifferenceList
                    entries={differences(shown(version), shown(member))}
                    labels={MEMBER_LABELS}
                  />
                )}
              </div>
            ))}
          </Stack>
        )}
      </Fetched>
    </Panel>
  );
}

const shown = ({
  name,
  type,
  extensions,
  contact_tags,
}: Pick<DirectoryMember, "name" | "type" | "extensions" | "contact_tags">) => ({
  name,
  type,
  extensions: extensions ?? [],
  contact_tags: contact_tags ?? {},
});

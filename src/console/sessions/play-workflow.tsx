import { Button } from "@mantine/core";
import { IconSitemap } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useAction } from "../parts/action.ts";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";

/** Opens the workflow of a session in the studio, where its conversation is played with the workflow as it is now. */
export function PlayWorkflow({ session_id, workflow }: { session_id: number; workflow: string }) {
  const navigate = useNavigate();
  const opening = useAction({
    mutationFn: () =>
      call("GET /api/v1/sessions/{session_id}/debug_turn", {
        path: { session_id },
        query: { turn_index: 1 },
      }),
    onSuccess({ tasks }) {
      const task = tasks.find((each) => each.workflow === workflow) ?? tasks[0];
      if (task)
        void navigate({ to: `/tools/${encodeURIComponent(task.tool)}`, search: { session: session_id } });
    },
    onError: showFailure,
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconSitemap size={14} />}
      loading={opening.isPending}
      onClick={() => opening.mutate()}
    >
      Play from this session
    </Button>
  );
}

import { Button, Checkbox, Menu, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBookmark, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { SearchParams } from "../lists/list-state.ts";
import { useAction } from "../parts/action.ts";
import { showFailure } from "../parts/show-failure.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { savedSearch, viewParams } from "./session-search.ts";

const VIEWS = "GET /api/v1/session_views/";

/** Saved views: opened, made of the list as it is, deleted. */
export function SessionViews() {
  const may = useMay();
  const client = useQueryClient();
  const navigate = useNavigate();
  const params = useSearch({ strict: false }) as SearchParams;
  const [isSaving, { open, close }] = useDisclosure(false);
  const views = useQuery({
    queryKey: [VIEWS],
    queryFn: ({ signal }) => call(VIEWS, { query: { limit: 100 }, signal }),
  });
  const remove = useAction({
    mutationFn: (id: number) =>
      call("DELETE /api/v1/session_views/{session_view_id}", {
        path: { session_view_id: id },
        query: { reason: "Deleted in the console" },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: [VIEWS] }),
    onError: showFailure,
  });
  const items = views.data?.items ?? [];
  const shown = items.find((view) => sameParams(viewParams(view), params));
  const group = (isShared: boolean, label: string) => {
    const those = items.filter((view) => view.is_shared === isShared);
    return those.length === 0 ? null : (
      <>
        <Menu.Label>{label}</Menu.Label>
        {those.map((view) => (
          <Menu.Item
            key={view.id}
            onClick={() => void navigate({ to: ".", search: viewParams(view), resetScroll: false })}
          >
            <bdi>{view.name}</bdi>
          </Menu.Item>
        ))}
      </>
    );
  };
  return (
    <>
      <Menu position="bottom-end" withArrow>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={15} />}>
            <bdi>{shown?.name ?? "Views"}</bdi>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {group(false, "Your views")}
          {group(true, "Shared views")}
          {items.length === 0 && <Menu.Label>No saved views</Menu.Label>}
          {may("session_views_write") && (
            <>
              <Menu.Divider />
              <Menu.Item onClick={open}>Save this view</Menu.Item>
              {shown && (
                <Menu.Item
                  color="red"
                  leftSection={<IconTrash size={14} />}
                  onClick={() => remove.mutate(shown.id)}
                >
                  Delete this view
                </Menu.Item>
              )}
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {isSaving && <SaveView params={params} onClose={close} />}
    </>
  );
}

function SaveView({ params, onClose }: { params: SearchParams; onClose(): void }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: { name: "", is_shared: false },
    send: (values) => call("POST /api/v1/session_views/", { body: { ...savedSearch(params), ...values } }),
    onSent: async () => {
      await client.invalidateQueries({ queryKey: [VIEWS] });
      onClose();
    },
  });
  return (
    <WindowForm title="Save view" verb="Save view" sending={sending} onClose={onClose}>
      <TextInput label="Name" data-autofocus required {...form.getInputProps("name")} />
      <Checkbox
        label="Share with everybody in the organization"
        {...form.getInputProps("is_shared", { type: "checkbox" })}
      />
    </WindowForm>
  );
}

const sameParams = (one: SearchParams, other: SearchParams): boolean => {
  const { page: _page, size: _size, ...rest } = other;
  const names = Object.keys({ ...one, ...rest });
  return names.length > 0 && names.every((name) => one[name] === rest[name]);
};

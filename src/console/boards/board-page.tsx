import { ActionIcon, Button, Grid, Group, NumberInput, Stack } from "@mantine/core";
import { IconArrowLeft, IconArrowRight, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { BoardTile } from "../api-types.ts";
import { PageWindow } from "../parts/page-window.tsx";
import { Panel } from "../parts/parts.tsx";
import { useAskBeforeLeaving } from "../records/ask-before-leaving.ts";
import { recordPage } from "../records/build-record-page.tsx";
import { NameFields } from "../records/common-fields.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { titleOf } from "./metric-words.ts";
import { TILE_LABELS, TileFields } from "./tile-fields.tsx";
import { TileView } from "./tile-view.tsx";

const SPANS = { third: 4, half: 6, full: 12 };
const NEW_TILE: BoardTile = {
  title: "",
  metric: { name: "sessions" },
  split: { by: "none" },
  search_fields: [],
  search_field_values: [],
  chart: "number",
  width: "third",
  compare: "before",
  versions: null,
};
/** What a new board begins with. */
const FIRST_TILES: BoardTile[] = [
  NEW_TILE,
  { ...NEW_TILE, metric: { name: "errors" } },
  { ...NEW_TILE, metric: { name: "latency_p95" } },
  { ...NEW_TILE, split: { by: "day" }, chart: "line", width: "full" },
];

export default recordPage({
  operations: {
    list: "GET /api/v1/boards/",
    read: "GET /api/v1/boards/{board_id}",
    create: "POST /api/v1/boards/",
    update: "PUT /api/v1/boards/",
    remove: "DELETE /api/v1/boards/{board_id}",
  },
  permission: "reports",
  noun: "Board",
  queryKey: "board",
  list: { to: "/boards", label: "Boards" },
  newTitle: "New board",
  title: "Board",
  labels: { last_days: "Days shown", ...TILE_LABELS },
  values: (board) => ({
    name: board?.name ?? "",
    description: board?.description ?? "",
    last_days: board?.last_days ?? 7,
    tiles: board?.tiles ?? FIRST_TILES,
  }),
  body: (values) => ({ ...values, description: values.description || null }),
  Form({ form, readOnly, frame }) {
    const { tiles, last_days } = form.getValues();
    const put = (next: BoardTile[]) => form.setFieldValue("tiles", next);
    const [edited, setEdited] = useState<{ at: number; tile: BoardTile; began: BoardTile } | null>(null);
    const isTyped = edited !== null && edited.tile !== edited.began;
    useAskBeforeLeaving(isTyped, { acrossViews: false });
    return (
      <Stack gap="md">
        <Grid gap="md">
          {tiles.map((tile, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two tiles may be alike
            <Grid.Col key={n} span={{ base: 12, md: SPANS[tile.width] }}>
              <TileView
                tile={tile}
                days={Number(last_days) || 7}
                actions={
                  !readOnly && (
                    <TileActions
                      name={titleOf(tile)}
                      edit={() => setEdited({ at: n, tile, began: tile })}
                      left={
                        n > 0 ? () => put(tiles.with(n, tiles[n - 1] as BoardTile).with(n - 1, tile)) : null
                      }
                      right={
                        n < tiles.length - 1
                          ? () => put(tiles.with(n, tiles[n + 1] as BoardTile).with(n + 1, tile))
                          : null
                      }
                      remove={() => put(tiles.toSpliced(n, 1))}
                    />
                  )
                }
              />
            </Grid.Col>
          ))}
        </Grid>
        {!readOnly && (
          <Button
            variant="default"
            leftSection={<IconPlus size={15} />}
            style={{ alignSelf: "start" }}
            onClick={() => setEdited({ at: tiles.length, tile: NEW_TILE, began: NEW_TILE })}
          >
            Add tile
          </Button>
        )}
        <Panel title="Settings">
          <RecordFormFrame {...frame}>
            <NameFields form={form} />
            <NumberInput label="Days shown" min={1} max={366} {...form.getInputProps("last_days")} />
          </RecordFormFrame>
        </Panel>
        {edited && (
          <PageWindow opened title="Tile" size="lg" isTyped={isTyped} onClose={() => setEdited(null)}>
            <Stack gap="md">
              <TileFields tile={edited.tile} onChange={(tile) => setEdited({ ...edited, tile })} />
              <TileView tile={edited.tile} days={Number(last_days) || 7} />
              <Button
                onClick={() => {
                  put(
                    edited.at === tiles.length ? [...tiles, edited.tile] : tiles.with(edited.at, edited.tile),
                  );
                  setEdited(null);
                }}
              >
                Apply
              </Button>
            </Stack>
          </PageWindow>
        )}
      </Stack>
    );
  },
});

function TileActions(props: {
  name: string;
  edit(): void;
  left: (() => void) | null;
  right: (() => void) | null;
  remove(): void;
}) {
  const { name, edit, left, right, remove } = props;
  const each = [
    ["Edit", edit, IconPencil],
    ["Move back", left, IconArrowLeft],
    ["Move on", right, IconArrowRight],
    ["Remove", remove, IconTrash],
  ] as const;
  return (
    <Group gap={4} wrap="nowrap">
      {each.map(([verb, act, Icon]) => (
        <ActionIcon
          key={verb}
          variant="subtle"
          color="gray"
          aria-label={`${verb} ${name}`}
          disabled={act === null}
          onClick={() => act?.()}
        >
          <Icon size={15} />
        </ActionIcon>
      ))}
    </Group>
  );
}

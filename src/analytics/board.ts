import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource } from "../api/resource.ts";
import { integer, name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import { createFairGate } from "../base/fair-gate.ts";
import { type Db, json } from "../db/database.ts";
import type { KeptSince } from "../sessions/kept-since.ts";
import { FigurePeriod, MOST_DAYS, periodQuery, type Spans, spansOf } from "./figure-period.ts";
import { keptKinds } from "./kept-since.ts";
import { overviewRoute } from "./overview.ts";
import { BoardTile, checkTile } from "./tile.ts";
import { TileFigures, tileFigures } from "./tile-figures.ts";

const MOST_TILES = 24;

const BoardCreate = z
  .object({
    name: name(),
    description: z.string().max(1_000).nullish(),
    last_days: integer({ min: 1, max: MOST_DAYS })
      .default(7)
      .describe("The period it opens with, today included."),
    tiles: z.array(BoardTile).max(MOST_TILES).default([]).describe("In the order in which they are shown."),
  })
  .meta({ id: "BoardCreate" });
const BoardUpdate = BoardCreate.safeExtend({ id: recordId() }).meta({ id: "BoardUpdate" });
type BoardInput = z.infer<typeof BoardCreate>;

const Board = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    last_days: z.int(),
    tiles: z.array(BoardTile),
    last_updated: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "Board" });
type Board = z.infer<typeof Board>;

const boardList = {
  fields: {
    id: list.integer("b.id"),
    name: list.text("b.name"),
    description: list.text("b.description"),
    last_updated: list.time("b.last_updated"),
    last_updated_by: list.text("b.last_updated_by"),
  },
  time: "b.last_updated",
  order: [
    { column: "b.name", direction: "asc" },
    { column: "b.id", direction: "asc" },
  ],
} satisfies list.ListRules;

const selectBoards = (db: Db, caller: Caller) =>
  db
    .selectFrom("boards as b")
    .where("b.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "b.id",
      "b.name",
      "b.description",
      "b.last_days",
      "b.tiles",
      "b.last_updated",
      "b.last_updated_by",
    ])
    .$castTo<Board>();

/** So many questions of all boards are answered at once in this process: each reads up to a million rows. */
const AT_ONCE = 4;
const PATIENCE_MS = 60_000;
const BUSY = "Many boards are being counted. Try again in a minute.";
const path = "/api/v1/boards";
const tag = "boards";

type Deps = { db: Db; clock: Clock; keptSince: KeptSince };

export function boardRoutes(api: Api, { db, clock, keptSince }: Deps): void {
  const values = (caller: Caller, { name, description, last_days, tiles }: BoardInput) => {
    for (const [n, tile] of tiles.entries()) checkTile(tile, ["body", "tiles", n]);
    return {
      name,
      description: description ?? null,
      last_days,
      tiles: json(tiles),
      last_updated: clock.now().toISOString(),
      last_updated_by: caller.email,
    };
  };

  addResource<Board, BoardInput, z.infer<typeof BoardUpdate>>(api, db, {
    path,
    noun: "Board",
    id_name: "board_id",
    tag,
    permission: "reports",
    record: Board,
    create: BoardCreate,
    update: BoardUpdate,
    list: boardList,
    store: {
      page: (caller, query) => list.listPage(db, selectBoards(db, caller), query, boardList),
      find: (from, caller, id) => selectBoards(from, caller).where("b.id", "=", id).executeTakeFirst(),
      async insert(tx, caller, input) {
        const { id } = await tx
          .insertInto("boards")
          .values({ ...values(caller, input), sub_organization_id: caller.sub_organization_id })
          .returning("id")
          .executeTakeFirstOrThrow();
        return id;
      },
      async replace(tx, caller, input) {
        await tx
          .updateTable("boards")
          .set(values(caller, input))
          .where("id", "=", input.id)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .execute();
      },
      async remove(tx, caller, id) {
        await tx
          .deleteFrom("boards")
          .where("id", "=", id)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .execute();
      },
    },
  });

  const keptFor = (caller: Caller, tile: BoardTile) => {
    const of = keptKinds(tile);
    return of && keptSince(db, clock.now(), { ...of, tenant: caller.sub_organization_id });
  };
  const gate = createFairGate(AT_ONCE);
  const figuresOf = async (caller: Caller, tile: BoardTile, spans: Spans) => {
    const leave = await gate.enter(String(caller.sub_organization_id), PATIENCE_MS, BUSY);
    try {
      return await tileFigures(db, caller, tile, { ...spans, kept_since: await keptFor(caller, tile) });
    } finally {
      leave();
    }
  };

  overviewRoute(api, { clock, figuresOf });

  api.get(
    `${path}/:board_id/figures`,
    {
      summary: "Get the figures of a board",
      description:
        "Of each tile, in their order. Sessions count from seconds after their end, on the day they began; test sessions only where a tile searches for them. A tile that takes longer than 10 seconds says so in `problem`.",
      tag,
      permission: "reports_read",
      params: z.object({ board_id: recordId() }),
      query: periodQuery,
      response: z.object({ tiles: z.array(TileFigures) }).meta({ id: "BoardFigures" }),
    },
    async ({ caller, params, query }) => {
      const board = await selectBoards(db, caller).where("b.id", "=", params.board_id).executeTakeFirst();
      if (!board) throw notFound("Board", params.board_id);
      const spans = spansOf(query, board.last_days, clock.now(), ["query"]);
      const tiles: TileFigures[] = [];
      // One after the other, so that a board takes one connection.
      for (const tile of board.tiles) tiles.push(await figuresOf(caller, tile, spans));
      return { tiles };
    },
  );

  api.post(
    `${path}/tile_figures`,
    {
      summary: "Get the figures of a tile",
      description: "Of a tile that need not be stored: a preview. Changes nothing.",
      tag,
      permission: "reports_read",
      body: z.object({ tile: BoardTile, period: FigurePeriod }).meta({ id: "TileFiguresRequest" }),
      response: TileFigures,
    },
    async ({ caller, body: { tile, period } }) => {
      checkTile(tile, ["body", "tile"]);
      return figuresOf(caller, tile, spansOf(period, 7, clock.now(), ["body", "period"]));
    },
  );
}

import type pg from "pg";

/** The texts of all statements that are sent through a pool while `work` runs, `begin` and `commit` among them. */
export async function statementsOf(pool: pg.Pool, work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const watched = new Map<pg.PoolClient, pg.PoolClient["query"]>();
  const watch = (client: pg.PoolClient) => {
    if (watched.has(client)) return;
    const { query } = client;
    watched.set(client, query);
    client.query = function (this: pg.PoolClient, ...given: unknown[]) {
      const [statement] = given as [string | { text: string }];
      texts.push(typeof statement === "string" ? statement : statement.text);
      return (query as (...given: unknown[]) => unknown).apply(this, given);
    } as typeof query;
  };
  pool.on("acquire", watch);
  try {
    await work();
  } finally {
    pool.off("acquire", watch);
    for (const [client, query] of watched) client.query = query;
  }
  // A lease is extended beside the turn, should the machine be slow.
  return texts.filter((text) => !text.includes("skip locked"));
}

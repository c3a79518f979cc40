import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from "kysely";

/** Counts the statements of whatever it is plugged into, e.g. `db.withPlugin(counter)`. */
export class StatementCounter implements KyselyPlugin {
  count = 0;
  transformQuery({ node }: PluginTransformQueryArgs) {
    this.count += 1;
    return node;
  }
  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }
}

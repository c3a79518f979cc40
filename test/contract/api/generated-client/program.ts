import { Api, type ErrorDetail, type HttpResponse, ToolAuthType, ToolType } from "./client.ts";

/**
 * A program as its author would write it who has nothing of ours but openapi.json: `client.ts` is generated from that when
 * the test runs, and the compiler checks this against it before it is run.
 */
export async function program(baseUrl: string, token: string) {
  const client = new Api<string>({
    baseUrl,
    securityWorker: (key) => ({ headers: { "Service-API-Key": key ?? "" } }),
  });
  client.setSecurityData(token);
  const { api } = client;

  // A body, and an answer whose fields have types.
  const service = await api.createService({
    name: "Weather",
    description: "A public API",
    auth_type: ToolAuthType.Bearer,
    auth_values: { token: "secret" },
  });
  const keys: string[] = service.data.auth_value_keys ?? [];
  const tool = await api.createTool({
    name: "get_weather",
    service_id: service.data.id,
    definition: {
      type: ToolType.Endpoint,
      tool: {
        type: "function",
        function: { name: "get_weather", description: "Tells the weather", parameters: { type: "object" } },
      },
      endpoint: { url: "https://weather.example/v1", method: "get", argument_location: "query", timeout: 10 },
    },
  });

  // Path parameters, one of them a name that has to be encoded.
  const again = await api.getService(service.data.id);
  const byName = await api.getTool(encodeURIComponent(tool.data.name));

  // A list with repeated query keys.
  const found = await api.listServices({
    search_fields: ["name", "description"],
    search_field_values: ["weath", "public"],
    order_by: "name",
    order_by_direction: "desc",
    limit: 5,
  });
  const names: string[] = found.data.items.map(({ name }) => name);

  // A file in a multipart form.
  const members = [{ name: "Front desk", type: "Operator", extensions: [] }];
  const file = new File([JSON.stringify(members)], "directory.json", { type: "application/json" });
  const uploaded = await api.importDirectoryMembers({ file });

  // What is refused comes as an error of a declared shape.
  const refusal = await api
    .getService(999_999)
    .then(() => null)
    .catch((answer: HttpResponse<unknown, ErrorDetail>) => ({ status: answer.status, ...answer.error }));

  // A query parameter of an operation that deletes.
  await api.deleteTool(tool.data.name, { reason: "over" });
  const gone = await api.deleteService(service.data.id, { reason: "over" });

  return {
    keys,
    same: again.data.id === service.data.id,
    fields: byName.data.fields,
    names,
    total: found.data.total_count,
    created: uploaded.data.created,
    refusal,
    gone: gone.data.success,
  };
}

/** One endpoint tool as the API takes it; everything a test does not care about has a sound value. */
export const endpointTool = (
  name: string,
  url: string,
  more: { description?: string; parameters?: object; endpoint?: object; definition?: object } = {},
) => ({
  type: "endpoint",
  tool: {
    type: "function",
    function: {
      name,
      description: more.description ?? `Does ${name}`,
      parameters: more.parameters ?? { type: "object", properties: {} },
    },
  },
  endpoint: { url, method: "get", argument_location: "query", ...more.endpoint },
  ...more.definition,
});

import { Grid, NumberInput, Select, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { ToolHttpEndpoint } from "../api-types.ts";
import { PLACES } from "./tool-labels.ts";

type Props = {
  endpoint: ToolHttpEndpoint;
  onChange(endpoint: ToolHttpEndpoint): void;
  errorOf(field: keyof ToolHttpEndpoint): ReactNode;
};

const METHODS = ["get", "post", "put", "delete"].map((value) => ({ value, label: value.toUpperCase() }));

/** GET and DELETE carry no body that servers can be relied on to read, so their arguments go into the query. */
const withMethod = (endpoint: ToolHttpEndpoint, method: ToolHttpEndpoint["method"]): ToolHttpEndpoint => {
  const hasBody = endpoint.argument_location === "body" || endpoint.argument_location === "form";
  const bodiless = method === "get" || method === "delete";
  return { ...endpoint, method, ...(bodiless && hasBody && { argument_location: "query" }) };
};

/** The request of an HTTP tool: its address, and where its arguments are sent. */
export function EndpointFields({ endpoint, onChange, errorOf }: Props) {
  return (
    <Grid gap="md">
      <Grid.Col span={12}>
        <TextInput
          label="URL"
          type="url"
          required
          value={endpoint.url}
          onChange={({ currentTarget }) => onChange({ ...endpoint, url: currentTarget.value })}
          error={errorOf("url")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 6, sm: 4 }}>
        <Select
          label="Method"
          data={METHODS}
          allowDeselect={false}
          value={endpoint.method}
          onChange={(method) => onChange(withMethod(endpoint, method as ToolHttpEndpoint["method"]))}
          error={errorOf("method")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 6, sm: 4 }}>
        <Select
          label="Send arguments as"
          data={PLACES}
          allowDeselect={false}
          value={endpoint.argument_location}
          onChange={(place) =>
            onChange({ ...endpoint, argument_location: place as ToolHttpEndpoint["argument_location"] })
          }
          error={errorOf("argument_location")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 4 }}>
        <NumberInput
          label="Timeout"
          suffix=" s"
          min={1}
          max={120}
          value={endpoint.timeout ?? 20}
          onChange={(timeout) => onChange({ ...endpoint, timeout: Number(timeout) || null })}
          error={errorOf("timeout")}
        />
      </Grid.Col>
    </Grid>
  );
}

import { Alert, TagsInput, TextInput } from "@mantine/core";
import type { ServiceResponse, ToolAuthType } from "../api-types.ts";
import { lazyPart } from "../parts/lazy-part.tsx";
import { Panel, RouteLink } from "../parts/parts.tsx";
import { recordPage } from "../records/build-record-page.tsx";
import { NameFields } from "../records/common-fields.tsx";
import { RecordFormFrame } from "../records/record-form-frame.tsx";
import { worded } from "../server/field-labels.ts";
import { AUTH_NAMES, AuthFields, type AuthValues } from "./auth-fields.tsx";

const McpTools = lazyPart("mcp tools", () => import("./mcp-tools.tsx"));

type Values = {
  name: string;
  description: string;
  auth_type: ToolAuthType | null;
  auth_values: AuthValues;
  allowed_hosts: string[];
  mcp_url: string;
};

export default recordPage({
  operations: {
    list: "GET /api/v1/services/",
    read: "GET /api/v1/services/{service_id}",
    create: "POST /api/v1/services/",
    update: "PUT /api/v1/services/",
    remove: "DELETE /api/v1/services/{service_id}",
  },
  permission: "services",
  noun: "Service",
  queryKey: "service",
  list: { to: "/services", label: "Services" },
  newTitle: "New service",
  title: "Service",
  isFixed: ({ name }) => name === "System",
  together: [["auth_type", "auth_values"]],
  hides: ["auth_values.*"],
  labels: {
    auth_type: worded("Authentication", AUTH_NAMES),
    auth_values: "Authentication",
    allowed_hosts: "Allowed hosts",
    mcp_url: "MCP address",
  },
  // Stored secrets are null in the form: they are kept unless a new one is typed.
  values: (service): Values => ({
    name: service?.name ?? "",
    description: service?.description ?? "",
    auth_type: service?.auth_type ?? null,
    auth_values: Object.fromEntries((service?.auth_value_keys ?? []).map((key) => [key, null])),
    allowed_hosts: service?.allowed_hosts ?? [],
    mcp_url: service?.mcp_url ?? "",
  }),
  body(values, service) {
    // An empty list that nobody has touched isn't settled yet.
    const isUnsettled = service?.allowed_hosts == null && values.allowed_hosts.length === 0;
    return {
      ...values,
      auth_values: values.auth_type === null ? null : sent(values, service),
      allowed_hosts: isUnsettled ? null : values.allowed_hosts,
      mcp_url: values.mcp_url || null,
    };
  },
  Form({ form, record, frame }) {
    const values = form.getValues();
    const added = values.allowed_hosts.filter((host) => !record?.allowed_hosts?.includes(host));
    const keepsSecret = (record?.auth_value_keys ?? []).some((key) => !values.auth_values[key]);
    return (
      <>
        <Panel>
          <RecordFormFrame {...frame}>
            <NameFields form={form} />
            <TextInput
              label="MCP address"
              description="Only for an MCP server (streamable HTTP): its tools can become tools of your agents."
              placeholder="https://mcp.example.com/mcp"
              {...form.getInputProps("mcp_url")}
            />
            <AuthFields
              type={values.auth_type}
              values={values.auth_values}
              onChange={(auth_type, auth_values) => {
                form.setFieldValue("auth_type", auth_type);
                form.setFieldValue("auth_values", auth_values);
              }}
              error={form.errors.auth_type ?? form.errors.auth_values}
              errorOf={(key) => form.errors[`auth_values.${key}`]}
            />
            {values.auth_type !== null && (
              <TagsInput
                label="Allowed hosts"
                description="The credentials are sent to these hosts only. Empty: the host of the first tool. Add a port where it is not 443."
                placeholder="api.example.com"
                value={values.allowed_hosts}
                onChange={(allowed_hosts) => form.setFieldValue("allowed_hosts", allowed_hosts)}
                error={form.errors.allowed_hosts}
              />
            )}
            {record?.auth_type && record.allowed_hosts == null && record.tools.length > 0 && (
              <Alert color="red" title="No allowed hosts yet">
                Calls of this service's tools are refused, because the addresses begin with a variable. Add
                the hosts and enter the secret again.
              </Alert>
            )}
            {values.auth_type !== null && added.length > 0 && keepsSecret && (
              <Alert color="yellow" title="Enter the secret again">
                The stored credentials would also be sent to {added.join(", ")}. To prevent a secret from
                being sent to a host that its owner did not choose, adding a host needs the secret.
              </Alert>
            )}
            {record && record.tools.length > 0 && (
              <div>
                Called by{" "}
                {record.tools.map((tool, index) => (
                  <span key={tool}>
                    {index > 0 && ", "}
                    <RouteLink to={`/tools/${encodeURIComponent(tool)}`}>{tool}</RouteLink>
                  </span>
                ))}
              </div>
            )}
          </RecordFormFrame>
        </Panel>
        {record?.mcp_url && <McpTools service_id={record.id} />}
      </>
    );
  },
});

/** An empty field keeps the stored secret; without one it is missing, but that a header may be empty. */
function sent({ auth_type, auth_values }: Values, service: ServiceResponse | null): AuthValues {
  const isStored = (name: string) => service?.auth_value_keys?.includes(name) === true;
  return Object.fromEntries(
    Object.entries(auth_values)
      .filter(
        ([name, text]) => name !== "" && (text !== "" || isStored(name) || auth_type === "custom_headers"),
      )
      .map(([name, text]) => [name, text === "" && isStored(name) ? null : text]),
  );
}

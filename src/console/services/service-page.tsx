import { Alert, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { ServiceResponse, ToolAuthType } from "../api-types.ts";
import { Panel, RouteLink } from "../parts/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../records/record-form.tsx";
import { RecordPage } from "../records/record-page.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { AuthFields, type AuthValues } from "./auth-fields.tsx";

type Values = {
  name: string;
  description: string;
  auth_type: ToolAuthType | null;
  auth_values: AuthValues;
  allowed_hosts: string[];
};

const read = (id: string) => call("GET /api/v1/services/{service_id}", { path: { service_id: Number(id) } });

export default function ServicePage() {
  return (
    <RecordPage
      queryKey="service"
      newTitle="New service"
      title="Service"
      back={{ to: "/services", label: "Services" }}
      read={read}
    >
      {(id, found) => <ServiceForm key={id} id={id} service={found} />}
    </RecordPage>
  );
}

function ServiceForm({ id, service }: { id: string; service: ServiceResponse | null }) {
  const may = useMay();
  const navigate = useNavigate();
  const isSystem = service?.name === "System";
  const record = useRecordForm<ServiceResponse, Values>({
    noun: "Service",
    together: [["auth_type", "auth_values"]],
    hides: ["auth_values.*"],
    labels: {
      auth_type: "Authentication",
      auth_values: "What it signs in with",
      allowed_hosts: "Allowed hosts",
    },
    record: service,
    values: valuesOf,
    save(values) {
      const auth_values = values.auth_type === null ? null : sent(values.auth_values, service);
      // An empty list that nobody has touched isn't settled yet.
      const isUnsettled = service?.allowed_hosts == null && values.allowed_hosts.length === 0;
      const body = { ...values, auth_values, allowed_hosts: isUnsettled ? null : values.allowed_hosts };
      return service
        ? call("PUT /api/v1/services/", { body: { ...body, id: service.id } })
        : call("POST /api/v1/services/", { body });
    },
    reread: () => read(id),
    invalidates: [["service"], ["GET /api/v1/services/"]],
    onSaved: (stored) => {
      if (service === null) void navigate({ to: `/services/${stored.id}` });
    },
  });
  const { form } = record;
  const values = form.getValues();
  const added = values.allowed_hosts.filter((host) => !service?.allowed_hosts?.includes(host));
  const keepsSecret = (service?.auth_value_keys ?? []).some((key) => !values.auth_values[key]);
  return (
    <Panel>
      <RecordFormFrame
        form={record}
        readOnly={!may("services_write") || isSystem}
        extra={
          service &&
          may("services_delete") &&
          !isSystem && (
            <RemoveRecord
              noun="service"
              name={service.name}
              remove={(reason) =>
                call("DELETE /api/v1/services/{service_id}", {
                  path: { service_id: service.id },
                  query: { reason },
                })
              }
              invalidates={[["GET /api/v1/services/"]]}
              onRemoved={() => void navigate({ to: "/services", ignoreBlocker: true })}
            />
          )
        }
      >
        <TextInput label="Name" required dir="auto" {...form.getInputProps("name")} />
        <Textarea
          label="Description"
          dir="auto"
          autosize
          minRows={1}
          {...form.getInputProps("description")}
        />
        <AuthFields
          type={values.auth_type}
          values={values.auth_values}
          onChange={(auth_type, auth_values) => {
            form.setFieldValue("auth_type", auth_type);
            form.setFieldValue("auth_values", auth_values);
          }}
          error={form.errors.auth_type ?? form.errors.auth_values}
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
        {service?.auth_type && service.allowed_hosts == null && service.tools.length > 0 && (
          <Alert color="red" title="No allowed hosts yet">
            Calls of this service's tools are refused, because the addresses begin with a variable. Add the
            hosts and enter the secret again.
          </Alert>
        )}
        {values.auth_type !== null && added.length > 0 && keepsSecret && (
          <Alert color="yellow" title="Enter the secret again">
            The stored credentials would also be sent to {added.join(", ")}. To prevent a secret from being
            sent to a host that its owner did not choose, adding a host needs the secret.
          </Alert>
        )}
        {service && service.tools.length > 0 && (
          <div>
            Called by{" "}
            {service.tools.map((tool, index) => (
              <span key={tool}>
                {index > 0 && ", "}
                <RouteLink to={`/tools/${encodeURIComponent(tool)}`}>{tool}</RouteLink>
              </span>
            ))}
          </div>
        )}
      </RecordFormFrame>
    </Panel>
  );
}

/** What is stored stands as null: kept unless something is typed. */
const valuesOf = (service: ServiceResponse | null): Values => ({
  name: service?.name ?? "",
  description: service?.description ?? "",
  auth_type: service?.auth_type ?? null,
  auth_values: Object.fromEntries((service?.auth_value_keys ?? []).map((key) => [key, null])),
  allowed_hosts: service?.allowed_hosts ?? [],
});

/** An emptied field of something stored keeps it. */
const sent = (values: AuthValues, service: ServiceResponse | null): AuthValues =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => name !== "")
      .map(([name, text]) => [name, text === "" && service?.auth_value_keys?.includes(name) ? null : text]),
  );

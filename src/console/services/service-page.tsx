import { Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { ServiceResponse, ToolAuthType } from "../api-types.ts";
import { call } from "../ground/api.ts";
import { useMay } from "../ground/me.tsx";
import { Panel, RouteLink } from "../ground/parts.tsx";
import { RecordFormFrame, useRecordForm } from "../ground/record-form.tsx";
import { RecordPage } from "../ground/record-page.tsx";
import { RemoveRecord } from "../ground/remove-record.tsx";
import { AuthFields, type AuthValues } from "./auth-fields.tsx";

type Values = {
  name: string;
  description: string;
  auth_type: ToolAuthType | null;
  auth_values: AuthValues;
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
    labels: { auth_type: "Signs in with", auth_values: "What it signs in with" },
    record: service,
    values: valuesOf,
    save(values) {
      const auth_values = values.auth_type === null ? null : sent(values.auth_values, service);
      const body = { ...values, auth_values };
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
});

/** An emptied field of something stored keeps it. */
const sent = (values: AuthValues, service: ServiceResponse | null): AuthValues =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => name !== "")
      .map(([name, text]) => [name, text === "" && service?.auth_value_keys?.includes(name) ? null : text]),
  );

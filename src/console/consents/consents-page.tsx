import { Text } from "@mantine/core";
import { IconUserCheck } from "@tabler/icons-react";
import type { Consent } from "../api-types.ts";
import { type Column, timeColumn } from "../lists/columns.tsx";
import { DataTable } from "../lists/data-table.tsx";
import { counted } from "../parts/counted.ts";
import { call } from "../server/api.ts";
import { EndButton } from "../suppressions/end-button.tsx";
import { ImportList } from "../suppressions/import-list.tsx";
import { BY_ADDRESS, LedgerPage } from "../suppressions/ledger-page.tsx";
import { Time } from "../time/time.tsx";
import { AddConsent } from "./add-consent.tsx";
import { CHANNELS, CONSENTS, GIVEN, PURPOSES, revokedHow } from "./consent-words.ts";

/** The consent ledger. */
export default function ConsentsPage() {
  return (
    <LedgerPage
      title="Consents"
      about="Who agreed to be contacted, for what purpose and how. Marketing campaigns contact only these people."
      csv="/api/v1/consents/csv"
      add="New consent"
      addWindow={(close) => <AddConsent onClose={close} />}
      importWindow={(close) => <ImportConsents onClose={close} />}
    >
      {(button) => (
        <DataTable
          label="Consents"
          operation={CONSENTS}
          columns={COLUMNS}
          search={BY_ADDRESS}
          filters={[
            { field: "channel", label: "Channel", kind: "choice", choices: CHANNELS },
            { field: "purpose", label: "Purpose", kind: "choice", choices: PURPOSES },
            { field: "given_through", label: "Given", kind: "choice", choices: GIVEN },
            { field: "revoked", label: "Withdrawn", kind: "choice", choices: { true: "Withdrawn" } },
          ]}
          days
          empty={{
            title: "No consents yet",
            icon: IconUserCheck,
            action: button,
            about: "Record one by hand, import your list as CSV, or have your form send each one to the API.",
          }}
        />
      )}
    </LedgerPage>
  );
}

const ImportConsents = ({ onClose }: { onClose(): void }) => (
  <ImportList
    title="Import consents"
    about="Columns address, purpose, channel, given_through, valid_from; optional: wording, evidence. Or a file of Export CSV."
    send={(form, calling_code) => call("POST /api/v1/consents/csv", { form, query: { calling_code } })}
    told={({ added, known, withdrawn, revoked }) => ({
      title: `${counted(added, "consent was", "consents were")} added`,
      more: [
        revoked > 0 &&
          `${counted(revoked, "was", "were")} revoked where the file comes from, and stay revoked.`,
        known > 0 && `${counted(known, "was", "were")} known already.`,
        withdrawn > 0 && `${counted(withdrawn, "was", "were")} left out, because the person withdrew since.`,
      ]
        .filter(Boolean)
        .join(" "),
    })}
    list={CONSENTS}
    onClose={onClose}
  />
);

const COLUMNS: Column<Consent>[] = [
  { field: "address", title: "Address", orderable: true },
  { field: "channel", title: "Channel", render: ({ channel }) => CHANNELS[channel] },
  { field: "purpose", title: "Purpose", render: ({ purpose }) => PURPOSES[purpose] },
  {
    field: "given_through",
    title: "Given",
    render: ({ given_through, wording }) => (
      <>
        {GIVEN[given_through]}
        {wording && (
          <Text size="xs" c="dimmed">
            “<bdi>{wording}</bdi>”
          </Text>
        )}
      </>
    ),
  },
  timeColumn("valid_from", "Since"),
  { field: "created_by", title: "Recorded by", hidden: true },
  {
    field: "revoked_at",
    title: "Withdrawn",
    render: ({ revoked_at, revoked_through, revoked_said }) =>
      revoked_at ? (
        <>
          <Time at={revoked_at} kind="minute" /> {revokedHow(revoked_through)}
          {revoked_said && (
            <Text size="xs" c="dimmed">
              “<bdi>{revoked_said}</bdi>”
            </Text>
          )}
        </>
      ) : (
        "–"
      ),
  },
  {
    field: "withdraw",
    title: "Action",
    permissions: ["outbound_delete"],
    render: (consent) => consent.revoked_at === null && <Withdraw consent={consent} />,
  },
];

const Withdraw = ({ consent: { id, address, channel, purpose } }: { consent: Consent }) => (
  <EndButton
    verb="Withdraw"
    label={`Withdraw the consent of ${address} to ${CHANNELS[channel]}`}
    question="Withdraw this consent?"
    example="For example, how they told you."
    act={(reason) => call("DELETE /api/v1/consents/{id}", { path: { id }, query: { reason } })}
    done={`The consent of ${address} is withdrawn`}
    list={CONSENTS}
  >
    Campaigns for {PURPOSES[purpose]} contact{" "}
    <b>
      <bdi>{address}</bdi>
    </b>{" "}
    no more by {CHANNELS[channel]}. The entry stays in the ledger, with your name and reason.
  </EndButton>
);

import { Button, Group, NumberInput, Text, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { versionsQuery } from "../agents/versioning.ts";
import type { Experiment } from "../api-types.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { RemoveRecord } from "../records/remove-record.tsx";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { ExperimentWindow } from "./experiment-window.tsx";
import { nextStep, splitWords, weightsNow } from "./experiment-words.ts";

/** What an experiment's end changes: its page, the list, and which version of the agent is live. */
const INVALIDATES = [["experiment"], ["GET /api/v1/experiments/"], ["agent"]];
const triedOf = ({ variants }: Experiment) => variants.find(({ is_control }) => !is_control)?.version_number;

/** The buttons of an experiment, as far as its status and the person's role allow. */
export function ExperimentActions({ experiment }: { experiment: Experiment }) {
  const may = useMay();
  const { status } = experiment;
  return (
    <>
      {status === "draft" && may("experiments_write") && <EditButton experiment={experiment} />}
      {status === "draft" && may("agents_publish") && <StartButton experiment={experiment} />}
      {status === "running" && may("experiments_write") && <StopButton experiment={experiment} />}
      {status === "running" && may("agents_publish") && (
        <>
          <AdoptButton experiment={experiment} />
          <WeightsButton experiment={experiment} />
          <NextStepButton experiment={experiment} />
        </>
      )}
      {status !== "running" && may("experiments_delete") && <RemoveExperiment experiment={experiment} />}
    </>
  );
}

const path = ({ id }: Experiment) => ({ experiment_id: id });

function EditButton({ experiment }: { experiment: Experiment }) {
  const [opened, { open, close }] = useDisclosure(false);
  const versions = useQuery(versionsQuery(experiment.agent_id));
  return (
    <>
      <Button variant="default" disabled={versions.data === undefined} onClick={open}>
        Edit
      </Button>
      {opened && versions.data && (
        <ExperimentWindow
          agent_id={experiment.agent_id}
          versions={versions.data.items}
          stored={experiment}
          onClose={close}
        />
      )}
    </>
  );
}

const StartButton = ({ experiment }: { experiment: Experiment }) => (
  <ConfirmButton
    variant="filled"
    verb="Start"
    question="Start the experiment?"
    act={() => call("POST /api/v1/experiments/{experiment_id}/start", { path: path(experiment) })}
    invalidates={INVALIDATES}
    done="Experiment started"
  >
    New sessions begin with {splitWords(weightsNow(experiment))}. Until it ends, the agent's live version
    can't be changed in another way.
  </ConfirmButton>
);

function NextStepButton({ experiment }: { experiment: Experiment }) {
  const step = nextStep(experiment);
  const control = experiment.variants.find(({ is_control }) => is_control)?.version_number;
  const tried = triedOf(experiment);
  if (step === null || control === undefined || tried === undefined) return null;
  const weights = [
    { version_number: control, weight: 100 - step.percent },
    { version_number: tried, weight: step.percent },
  ];
  return (
    <ConfirmButton
      variant="filled"
      verb={`Ramp to ${step.percent} %`}
      question={`Send ${step.percent} % of the people to version ${tried}?`}
      act={() =>
        call("PUT /api/v1/experiments/{experiment_id}/weights", { path: path(experiment), body: { weights } })
      }
      invalidates={INVALIDATES}
      done={`${step.percent} % of the people meet version ${tried}`}
    >
      People move only to version {tried}. The ramp goes on from this step.
    </ConfirmButton>
  );
}

function WeightsButton({ experiment }: { experiment: Experiment }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Change weights
      </Button>
      {opened && <WeightsWindow experiment={experiment} onClose={close} />}
    </>
  );
}

function WeightsWindow({ experiment, onClose }: { experiment: Experiment; onClose(): void }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: {
      weights: weightsNow(experiment).map(({ version_number, weight }) => ({
        version_number,
        weight: weight as number | string,
      })),
    },
    hasField: (field) => /^weights(\.\d+\.weight)?$/.test(field),
    send: ({ weights }) =>
      call("PUT /api/v1/experiments/{experiment_id}/weights", {
        path: path(experiment),
        body: {
          weights: weights.map(({ version_number, weight }) => ({
            version_number,
            weight: weight === "" ? Number.NaN : Number(weight),
          })),
        },
      }),
    async onSent({ stages }) {
      onClose();
      notifications.show({
        message: `New sessions begin with ${splitWords(stages.at(-1)?.weights ?? [])}`,
        color: "green",
        autoClose: 4000,
      });
      await Promise.all(INVALIDATES.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  return (
    <WindowForm title="Change weights" verb="Change" sending={sending} onClose={onClose}>
      {form.getValues().weights.map(({ version_number }, at) => (
        <NumberInput
          key={version_number}
          label={`Version ${version_number}`}
          suffix=" %"
          min={0}
          max={100}
          allowDecimal={false}
          {...form.getInputProps(`weights.${at}.weight`)}
        />
      ))}
      {form.errors.weights && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {form.errors.weights}
        </Text>
      )}
    </WindowForm>
  );
}

function AdoptButton({ experiment }: { experiment: Experiment }) {
  const tried = experiment.variants.filter(({ is_control }) => !is_control);
  return (
    <Group gap="xs">
      {tried.map(({ version_number }) => (
        <ConfirmButton
          key={version_number}
          verb={`Make version ${version_number} live`}
          question={`Make version ${version_number} live for everybody?`}
          act={() =>
            call("POST /api/v1/experiments/{experiment_id}/adopt", {
              path: path(experiment),
              body: { version_number },
            })
          }
          invalidates={INVALIDATES}
          done={`Version ${version_number} is live`}
        >
          The experiment ends. New sessions use version {version_number}; running sessions keep the version
          they started with.
        </ConfirmButton>
      ))}
    </Group>
  );
}

function StopButton({ experiment }: { experiment: Experiment }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Stop
      </Button>
      {opened && <StopWindow experiment={experiment} onClose={close} />}
    </>
  );
}

function StopWindow({ experiment, onClose }: { experiment: Experiment; onClose(): void }) {
  const client = useQueryClient();
  const control = experiment.variants.find(({ is_control }) => is_control)?.version_number;
  const { form, sending } = useWindowForm({
    initial: { reason: "" },
    send: (body) => call("POST /api/v1/experiments/{experiment_id}/stop", { path: path(experiment), body }),
    async onSent() {
      onClose();
      notifications.show({ message: "Experiment stopped", color: "green", autoClose: 4000 });
      await Promise.all(INVALIDATES.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  return (
    <WindowForm title="Stop the experiment" verb="Stop" sending={sending} onClose={onClose}>
      <Text size="sm">
        New sessions use version {control}. Running sessions keep the version they started with.
      </Text>
      <Textarea
        label="Reason"
        required
        autosize
        minRows={2}
        maxLength={2000}
        data-autofocus
        {...form.getInputProps("reason")}
      />
    </WindowForm>
  );
}

function RemoveExperiment({ experiment }: { experiment: Experiment }) {
  const navigate = useNavigate();
  const { id, agent_id, name } = experiment;
  return (
    <RemoveRecord
      noun="experiment"
      name={name}
      remove={(reason) =>
        call("DELETE /api/v1/experiments/{experiment_id}", {
          path: { experiment_id: id },
          query: { reason },
        })
      }
      invalidates={[["GET /api/v1/experiments/"]]}
      onRemoved={() =>
        void navigate({ to: `/agents/${agent_id}/experiments`, ignoreBlocker: true, replace: true })
      }
    />
  );
}

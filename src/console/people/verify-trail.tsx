import { Alert, Button, Code, Modal, Progress, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconShieldCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AuditFault, AuditVerification } from "../api-types.ts";
import { counted } from "../parts/counted.ts";
import { Failure } from "../parts/parts.tsx";
import { call } from "../server/api.ts";

const WRONG: Record<AuditFault["fault"], string> = {
  changed: "was changed after it was written",
  missing: "is gone, and retention did not delete it",
  out_of_place: "follows on links that are gone",
  forged: "has a link that this installation did not make",
};

type TrailVerdict = Pick<AuditVerification, "intact" | "blanked" | "deleted" | "unlinked" | "head"> & {
  faults: AuditFault[];
};

/** Compares the whole trail with its links, a part after the other, and says what was tampered with. */
export function VerifyTrail() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconShieldCheck size={15} />} onClick={open}>
        Verify
      </Button>
      <Modal opened={opened} onClose={close} title="Verify the audit log" size="lg">
        {opened && <Verification />}
      </Modal>
    </>
  );
}

function Verification() {
  const [done, setDone] = useState(0);
  const verdict = useQuery({
    queryKey: ["audit verification"],
    queryFn: ({ signal }) => verify(signal, setDone),
    gcTime: 0,
    staleTime: 0,
  });
  if (verdict.error) return <Failure error={verdict.error} />;
  if (!verdict.data) return <Progress value={done} aria-label="Verified so far" animated />;
  const { intact, blanked, deleted, unlinked, head, faults } = verdict.data;
  return (
    <Stack gap="md">
      {faults.length === 0 ? (
        <Alert color="green" role="status" title={`${counted(intact, "entry is", "entries are")} intact`} />
      ) : (
        <Alert color="red" role="alert" title="The audit log was tampered with">
          <ul>
            {faults.map(({ position, entry_id, fault }) => (
              <li key={`${position} ${fault}`}>
                Position {position}
                {entry_id == null ? "" : `, entry ${entry_id}`} {WRONG[fault]}.
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {blanked + deleted + unlinked > 0 && (
        <Text size="sm">
          {[
            blanked > 0 && `${counted(blanked, "lost its", "lost their")} content to an erasure.`,
            deleted > 0 && `${counted(deleted, "was", "were")} deleted by retention.`,
            unlinked > 0 && `${counted(unlinked, "is", "are")} too new to be linked.`,
          ]
            .filter(Boolean)
            .join(" ")}
        </Text>
      )}
      {head.position > 0 && (
        <Text size="sm" component="div">
          Newest link, to keep elsewhere: <Code>{`${head.position} ${head.link}`}</Code>
        </Text>
      )}
    </Stack>
  );
}

async function verify(signal: AbortSignal, tellDone: (percent: number) => void): Promise<TrailVerdict> {
  const found: TrailVerdict = {
    intact: 0,
    blanked: 0,
    deleted: 0,
    unlinked: 0,
    head: { position: 0, link: "" },
    faults: [],
  };
  for (let from: number | null = 1; from !== null; ) {
    const part: AuditVerification = await call("GET /api/v1/audit_entries/verification", {
      query: { from_position: from },
      signal,
    });
    found.intact += part.intact;
    found.blanked += part.blanked;
    found.deleted += part.deleted;
    found.faults.push(...part.faults);
    found.unlinked = part.unlinked;
    found.head = part.head;
    tellDone((100 * part.checked_to) / Math.max(1, part.head.position));
    from = part.next_position ?? null;
  }
  return found;
}

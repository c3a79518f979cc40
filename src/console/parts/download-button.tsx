import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useAction } from "./action.ts";
import { saveFile } from "./save-file.ts";
import { showFailure } from "./show-failure.ts";

/** Fetches a file and hands it to the browser under a name. */
export function DownloadButton(props: {
  label: string;
  name: string;
  fetch(): Promise<Blob>;
  size?: string;
}) {
  const { label, name, fetch, size = "sm" } = props;
  const fetching = useAction({
    mutationFn: fetch,
    onSuccess: (content) => saveFile(name, content),
    onError: showFailure,
  });
  return (
    <Button
      size={size}
      variant="default"
      leftSection={<IconDownload size={15} />}
      loading={fetching.isPending}
      onClick={() => fetching.mutate()}
    >
      {label}
    </Button>
  );
}

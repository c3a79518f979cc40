import { test } from "vitest";

test("story C: one outbound attempt is dialled inside its window, settled once, and told to the webhook", ({
  skip,
}) => skip("missing: batches, the dialer and a carrier adapter"));

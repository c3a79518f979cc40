import { test } from "vitest";

test("story D: a session that ends is analysed once and its outputs are stored", ({ skip }) =>
  skip("missing: insight workflows and their executions"));

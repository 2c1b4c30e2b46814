import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Latest } from "./latest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("of many wishes the newest is carried out, once", () => {
  const l = new Latest(50), done: string[] = [];
  for (const k of ["a", "b", "c", "c"]) l.run(k, () => done.push(k));
  expect(done).toEqual([]);
  vi.advanceTimersByTime(60);
  l.run("c", () => done.push("again"));
  vi.advanceTimersByTime(60);
  expect(done).toEqual(["c"]);
});
test("a new wish ends what is under way", () => {
  const l = new Latest(0), signals: AbortSignal[] = [];
  l.run("a", (s) => void signals.push(s));
  l.run("b", (s) => void signals.push(s));
  expect(signals.map((s) => s.aborted)).toEqual([true, false]);
  l.stop();
  expect(signals[1]!.aborted).toBe(true);
  l.run("b", (s) => void signals.push(s));
  expect(signals.length).toBe(3);
});

import { expect, test } from "vitest";
import { Pieces } from "./pieces";

/** A source whose answers are given by hand. */
function source(most = 200) {
  const open = new Map<string, { resolve: (v: string) => void; reject: (e: unknown) => void; signal: AbortSignal }>();
  let changes = 0;
  const asked: string[] = [];
  const pieces = new Pieces<string>((key, signal) => {
    asked.push(key);
    return new Promise((resolve, reject) => open.set(key, { resolve, reject, signal }));
  }, () => changes++, most);
  return { open, asked, pieces, changes: () => changes };
}
const settled = () => new Promise((r) => setTimeout(r, 0));

test("each piece is asked for once", async () => {
  const s = source();
  s.pieces.want(["0", "1"]);
  s.pieces.want(["0", "1"]);
  s.open.get("0")!.resolve("zero");
  await settled();
  s.pieces.want(["0", "1"]);
  expect(s.asked).toEqual(["0", "1"]);
  expect([s.pieces.get("0"), s.pieces.get("1"), s.changes()]).toEqual(["zero", undefined, 1]);
});
test("what went out of sight is not waited for", async () => {
  const s = source();
  s.pieces.want(["0"]);
  s.pieces.want(["9"]);
  expect(s.open.get("0")!.signal.aborted).toBe(true);
  s.open.get("0")!.resolve("late");
  await settled();
  expect(s.pieces.get("0")).toBeUndefined();
});
test("a failure is told, and tried again when asked to", async () => {
  const s = source();
  s.pieces.want(["0"]);
  s.open.get("0")!.reject("broken");
  await settled();
  expect(s.pieces.problem).toBe("broken");
  s.pieces.want(["0"]);
  expect(s.asked).toEqual(["0"]);
  s.pieces.retry();
  s.pieces.want(["0"]);
  expect(s.asked).toEqual(["0", "0"]);
});
test("no more are kept than there is room for", async () => {
  const s = source(2);
  for (const k of ["0", "1", "2"]) {
    s.pieces.want([k]);
    s.open.get(k)!.resolve(k);
    await settled();
  }
  s.pieces.want(["2"]);
  expect(["0", "1", "2"].map((k) => s.pieces.get(k))).toEqual([undefined, "1", "2"]);
});

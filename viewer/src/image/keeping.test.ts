import { expect, test } from "vitest";
import { Kept } from "./kept";
import { type Job, Queue } from "./queue";

test("over its bytes the cache drops what was longest out of sight, never what is on screen", () => {
  const gone: string[] = [];
  const c = new Kept<{ bytes: number; stamp: number; name: string }>(100, (v) => gone.push(v.name));
  const add = (name: string, stamp: number) => c.add({ bytes: 40, stamp, name });
  add("a", 3);
  add("b", 1);
  c.trim(9);
  expect(gone).toEqual([]); // it fits
  add("c", 9);
  add("d", 9);
  c.trim(9);
  expect(gone).toEqual(["b", "a"]);
  expect(c.bytes).toBe(80);
  add("e", 9);
  c.trim(9);
  expect(c.bytes).toBe(120); // all on screen: more than the bound rather than holes
  c.clear();
  expect([c.bytes, c.size]).toEqual([0, 0]);
});

type Held = { started: string[]; aborted: string[]; end: Map<string, () => void>; jobs: (...list: [string, number][]) => Map<string, Job> };
function held(): Held {
  const h: Held = {
    started: [],
    aborted: [],
    end: new Map(),
    jobs: (...list) =>
      new Map(
        list.map(([key, priority]) => [
          key,
          {
            key,
            priority,
            run: (signal: AbortSignal) =>
              new Promise<void>((done, fail) => {
                h.started.push(key);
                h.end.set(key, done);
                signal.addEventListener("abort", () => {
                  h.aborted.push(key);
                  fail(new Error("stopped"));
                });
              }),
          },
        ]),
      ),
  };
  return h;
}
const settle = async () => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

test("the most wanted are asked for first, few at once", async () => {
  const h = held();
  let idle = 0;
  const q = new Queue(2, () => idle++);
  q.want(h.jobs(["far", 9], ["near", 1], ["coarse", 0]));
  expect(h.started).toEqual(["coarse", "near"]);
  h.end.get("near")!();
  await settle();
  expect(h.started).toEqual(["coarse", "near", "far"]);
  h.end.get("coarse")!();
  h.end.get("far")!();
  await settle();
  expect([q.pending, idle]).toEqual([0, 1]);
});

test("what left the view is stopped, what stayed is not asked for twice", async () => {
  const h = held();
  const q = new Queue(2);
  q.want(h.jobs(["a", 0], ["b", 1], ["c", 2]));
  q.want(h.jobs(["b", 5], ["d", 1]));
  expect(h.aborted).toEqual(["a"]);
  expect(h.started).toEqual(["a", "b", "d"]); // c never started
  await settle();
  expect(q.pending).toBe(2);
  q.stop();
  expect(h.aborted).toEqual(["a", "b", "d"]);
});

test("a failure makes room for the next", async () => {
  const started: string[] = [];
  const q = new Queue(1);
  const job = (key: string, priority: number): [string, Job] => [key, { key, priority, run: async () => { started.push(key); if (key === "bad") throw new Error("no"); } }];
  q.want(new Map([job("bad", 0), job("good", 1)]));
  await settle();
  expect(started).toEqual(["bad", "good"]);
});

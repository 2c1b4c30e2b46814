import { describe, expect, it } from "vitest";
import { batch, computed, effect, signal } from "./reactive";

describe("signals", () => {
  it("run what depends on them when they change, and only then", () => {
    const a = signal(1), b = signal(10), seen: number[] = [];
    const stop = effect(() => void seen.push(a.value + b.peek()));
    b.value = 20;
    a.value = 1;
    a.value = 2;
    expect(seen).toEqual([11, 22]);
    stop();
    a.value = 3;
    expect(seen).toEqual([11, 22]);
  });

  it("are never seen half changed", () => {
    const a = signal(1), seen: string[] = [];
    const twice = computed(() => a.value * 2), thrice = computed(() => a.value * 3);
    effect(() => void seen.push(`${a.value} ${twice.value} ${thrice.value}`));
    a.value = 2;
    expect(seen).toEqual(["1 2 3", "2 4 6"]);
  });

  it("tell nobody when what follows from them stays the same", () => {
    const a = signal(1), seen: boolean[] = [];
    let found = 0;
    const even = computed(() => (found++, a.value % 2 === 0));
    const word = computed(() => even.value);
    effect(() => void seen.push(word.value));
    a.value = 3;
    expect(seen).toEqual([false]);
    expect(found).toBe(2);
    a.value = 4;
    expect(seen).toEqual([false, true]);
  });

  it("forget what is no longer read", () => {
    const which = signal(true), a = signal("a"), b = signal("b"), seen: string[] = [];
    effect(() => void seen.push(which.value ? a.value : b.value));
    which.value = false;
    a.value = "not read";
    b.value = "c";
    expect(seen).toEqual(["a", "b", "c"]);
  });

  it("are found when asked for, and kept", () => {
    const a = signal(1);
    let found = 0;
    const c = computed(() => (found++, a.value + 1));
    expect(found).toBe(0);
    expect([c.value, c.peek(), c.value]).toEqual([2, 2, 2]);
    expect(found).toBe(1);
    a.value = 5;
    expect(found).toBe(1);
    expect(c.value).toBe(6);
  });

  it("hold nothing that nobody looks at", () => {
    const a = signal(1);
    const readers = (a as unknown as { readers: Set<unknown> }).readers;
    const c = computed(() => a.value), d = computed(() => c.value);
    d.value;
    expect(readers.size).toBe(0);
    const stops = [effect(() => void d.value), effect(() => void d.value)];
    expect(readers.size).toBe(1);
    stops[0]!();
    expect(readers.size).toBe(1);
    stops[1]!();
    expect(readers.size).toBe(0);
    a.value = 7;
    expect(d.value).toBe(7);
  });

  it("change together in a batch", () => {
    const a = signal(1), b = signal(1), seen: number[] = [];
    effect(() => void seen.push(a.value + b.value));
    batch(() => {
      a.value = 2;
      batch(() => (b.value = 2));
      expect(computed(() => a.value + b.value).value).toBe(4);
    });
    expect(seen).toEqual([2, 4]);
  });
});

describe("effects", () => {
  it("undo what they did before they run again, and at the end", () => {
    const a = signal(1), other = signal(0), seen: string[] = [];
    const stop = effect(() => {
      const v = a.value;
      seen.push("do " + v);
      return () => void seen.push(`undo ${v} ${other.value}`);
    });
    other.value = 9; // undoing reads, but depends on nothing
    a.value = 2;
    stop();
    stop();
    expect(seen).toEqual(["do 1", "undo 1 9", "do 2", "undo 2 9"]);
  });

  it("run until nothing changes any more", () => {
    const a = signal(0);
    let runs = 0;
    effect(() => {
      runs++;
      if (a.value < 5) a.value++;
    });
    expect([a.value, runs]).toEqual([5, 6]);
  });

  it("see their own changes when they are done", () => {
    const a = signal(0), b = signal(0), seen: number[] = [];
    effect(() => void seen.push(b.value));
    effect(() => {
      b.value = a.value;
      b.value = a.value * 10;
    });
    a.value = 1;
    expect(seen).toEqual([0, 10]);
  });

  it("depend on nothing that an effect within reads", () => {
    const a = signal(0), b = signal(0);
    let outer = 0, inner = 0;
    effect(() => {
      outer++;
      a.value;
      return effect(() => {
        inner++;
        b.value;
      });
    });
    b.value = 1;
    expect([outer, inner]).toEqual([1, 2]);
    a.value = 1;
    expect([outer, inner]).toEqual([2, 3]);
    b.value = 2;
    expect([outer, inner]).toEqual([2, 4]);
  });

  it("can end themselves, and each other", () => {
    const a = signal(0), seen: string[] = [];
    let stop = () => {};
    let later: (() => void) | undefined;
    stop = effect(() => {
      if (a.value > 0) {
        stop();
        later!();
      }
      seen.push("first " + a.value);
      return () => void seen.push("undone");
    });
    later = effect(() => void seen.push("second " + a.value));
    a.value = 1;
    a.value = 2;
    expect(seen).toEqual(["first 0", "second 0", "undone", "first 1", "undone"]);
  });

  it("that fail say so, and keep no other from running", () => {
    const a = signal(0), seen: number[] = [];
    effect(() => {
      if (a.value === 1) throw new Error("one");
    });
    effect(() => void seen.push(a.value));
    expect(() => (a.value = 1)).toThrow("one");
    a.value = 2;
    expect(seen).toEqual([0, 1, 2]);
    expect(() => effect(() => { throw new Error("at once"); })).toThrow("at once");
    a.value = 3;
    expect(seen).toEqual([0, 1, 2, 3]);
  });

  it("find anew what could not be found", () => {
    const a = signal(0);
    const c = computed(() => {
      if (a.value === 0) throw new Error("none");
      return a.value;
    });
    expect(() => c.value).toThrow("none");
    expect(() => c.value).toThrow("none");
    a.value = 1;
    expect(c.value).toBe(1);
  });
});

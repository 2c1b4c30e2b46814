// Signals: values that know who has read them, so that what depends on them is done anew when they change, and only then.

/** Reads signals: it remembers which, and at what version each of them was. */
class Reader {
  readonly sources = new Map<Source<unknown>, number>();

  constructor(
    /** Something that was read may have changed. */
    readonly stale: () => void,
    /** Is it to be told? What nobody looks at asks by itself. */
    readonly wants: () => boolean,
  ) {}

  /** Calls a function, and depends on what that reads from then on. */
  run<T>(f: () => T): T {
    const outer = reader;
    const old = new Set(this.sources.keys());
    this.sources.clear();
    reader = this;
    try {
      return f();
    } finally {
      reader = outer;
      for (const s of old) if (!this.sources.has(s)) s.leave(this);
    }
  }

  read(s: Source<unknown>): void {
    s.refresh();
    if (this.sources.has(s)) return;
    this.sources.set(s, s.version);
    if (this.wants()) s.join(this);
  }

  /** Has anything of it become another value? */
  changed(): boolean {
    for (const [s, version] of this.sources) {
      s.refresh();
      if (s.version !== version) return true;
    }
    return false;
  }
}

/** Who runs now, and so depends on what is read. */
let reader: Reader | undefined;
/** Effects that something may have changed for; they run when the outermost batch ends. */
const waiting = new Set<() => void>();
let batches = 0;

class Source<T> {
  version = 0;
  protected readonly readers = new Set<Reader>();

  constructor(protected now: T) {}

  get value(): T {
    reader?.read(this);
    return this.peek();
  }

  set value(v: T) {
    if (v === this.now) return;
    this.now = v;
    this.version++;
    batch(() => this.tell());
  }

  /** The value, without depending on it. */
  peek(): T {
    this.refresh();
    return this.now;
  }

  refresh(): void {}

  protected tell(): void {
    for (const r of this.readers) r.stale();
  }

  join(r: Reader): void {
    this.readers.add(r);
  }

  leave(r: Reader): void {
    this.readers.delete(r);
  }
}

/** A value that follows from others: found when it is asked for, kept until one of them changes. */
class Computed<T> extends Source<T | undefined> {
  #stale = true;
  #known = false;
  readonly #reader = new Reader(
    () => {
      if (this.#stale) return;
      this.#stale = true;
      this.tell();
    },
    () => this.readers.size > 0,
  );

  constructor(readonly find: () => T) {
    super(undefined);
  }

  override refresh(): void {
    if (!this.#stale && this.readers.size > 0) return;
    this.#stale = false;
    if (this.#known && !this.#reader.changed()) return;
    this.#known = false; // should it fail, it is found anew the next time
    const v = this.#reader.run(this.find);
    this.#known = true;
    if (v === this.now) return;
    this.now = v;
    this.version++;
  }

  override join(r: Reader): void {
    if (this.readers.size === 0) for (const s of this.#reader.sources.keys()) s.join(this.#reader);
    super.join(r);
  }

  override leave(r: Reader): void {
    super.leave(r);
    if (this.readers.size === 0) for (const s of this.#reader.sources.keys()) s.leave(this.#reader);
  }
}

export type ReadonlySignal<T> = { readonly value: T; peek(): T };
export type Signal<T> = { value: T; peek(): T };

export const signal = <T>(v: T): Signal<T> => new Source(v);
export const computed = <T>(find: () => T) => new Computed(find) as ReadonlySignal<T>;

/** Makes many changes, and lets what depends on them run once, at the end. */
export function batch<T>(f: () => T): T {
  batches++;
  try {
    return f();
  } finally {
    try {
      if (batches === 1) flush();
    } finally {
      batches--;
    }
  }
}

/** Runs what waits, also what comes to wait meanwhile. Those after one that fails run all the same. */
function flush(): void {
  let failed: { error: unknown } | undefined;
  for (const run of waiting) {
    waiting.delete(run);
    try {
      run();
    } catch (error) {
      failed ??= { error };
    }
  }
  if (failed) throw failed.error;
}

/** Runs a function now, and again whenever something that it read has changed. What it gives is called before that, and at the end. */
export function effect(f: () => void | (() => void)): () => void {
  let undo: void | (() => void);
  let gone = false;
  const r: Reader = new Reader(() => waiting.add(again), () => !gone);
  const clear = () => {
    const u = undo;
    undo = undefined;
    if (u) new Reader(() => {}, () => false).run(u);
  };
  const run = () => batch(() => {
    clear();
    undo = r.run(f);
    if (gone) clear(); // it has ended itself
  });
  const again = () => {
    if (r.changed()) run();
  };
  const end = () => {
    gone = true;
    waiting.delete(again);
    r.run(() => {}); // depends on nothing any more
    batch(clear);
  };
  try {
    run();
  } catch (e) {
    end();
    throw e;
  }
  return end;
}

/** What is kept, bounded by bytes: over the bound, what was longest out of sight goes first. */
export class Kept<V extends { bytes: number; stamp: number }> {
  readonly #all = new Set<V>();
  bytes = 0;

  constructor(
    readonly limit: number,
    private readonly dropped: (v: V) => void,
  ) {}

  get size(): number {
    return this.#all.size;
  }

  add(v: V): void {
    if (this.#all.has(v)) return;
    this.#all.add(v);
    this.bytes += v.bytes;
  }

  has(v: V): boolean {
    return this.#all.has(v);
  }

  delete(v: V): void {
    if (!this.#all.delete(v)) return;
    this.bytes -= v.bytes;
    this.dropped(v);
  }

  /** Drops until nine tenths of the bound are left; what has the stamp `now` is on screen and stays. */
  trim(now: number): void {
    if (this.bytes <= this.limit) return;
    const old = [...this.#all].filter((v) => v.stamp < now).sort((a, b) => a.stamp - b.stamp);
    for (const v of old) {
      if (this.bytes <= this.limit * 0.9) return;
      this.delete(v);
    }
  }

  clear(): void {
    for (const v of [...this.#all]) this.delete(v);
  }

  [Symbol.iterator](): Iterator<V> {
    return this.#all.values();
  }
}

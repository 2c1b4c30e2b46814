// Parts of something large, fetched as they come into sight.

/**
 * Pieces keeps what was fetched by key, fetches what is wanted and not there, and ends fetches that nobody wants any more.
 * The longest unused go when there are too many.
 */
export class Pieces<T> {
  #have = new Map<string, T>();
  #under = new Map<string, AbortController>();
  #failed = new Map<string, unknown>();
  constructor(private fetch: (key: string, signal: AbortSignal) => Promise<T>, private changed: () => void, private most = 200) {}

  get(key: string): T | undefined {
    return this.#have.get(key);
  }
  /** What went wrong with what is wanted, if anything did. */
  get problem(): unknown {
    return this.#failed.values().next().value;
  }

  want(keys: string[]): void {
    const wanted = new Set(keys);
    for (const [key, stop] of this.#under) {
      if (wanted.has(key)) continue;
      stop.abort();
      this.#under.delete(key);
    }
    for (const key of this.#failed.keys()) if (!wanted.has(key)) this.#failed.delete(key);
    for (const key of keys) {
      const piece = this.#have.get(key);
      if (piece !== undefined) {
        this.#have.delete(key); // the newest are last
        this.#have.set(key, piece);
      } else if (!this.#under.has(key) && !this.#failed.has(key)) this.#begin(key);
    }
    for (const key of this.#have.keys()) {
      if (this.#have.size <= this.most) break;
      if (!wanted.has(key)) this.#have.delete(key);
    }
  }

  #begin(key: string): void {
    const stop = new AbortController();
    this.#under.set(key, stop);
    this.fetch(key, stop.signal).then(
      (piece) => {
        if (this.#under.get(key) !== stop) return;
        this.#under.delete(key);
        this.#have.set(key, piece);
        this.changed();
      },
      (e: unknown) => {
        if (this.#under.get(key) !== stop) return;
        this.#under.delete(key);
        this.#failed.set(key, e);
        this.changed();
      },
    );
  }

  /** What failed is tried again when it is next wanted. */
  retry(): void {
    this.#failed.clear();
    this.changed();
  }
  stop(): void {
    for (const s of this.#under.values()) s.abort();
    this.#under.clear();
  }
}

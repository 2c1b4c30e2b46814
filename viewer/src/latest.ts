// Of many wishes only the newest is carried out.

/**
 * Latest waits until no new wish came for a moment, then begins the newest, and ends what the one before was doing.
 * A wish that is the same as the one under way changes nothing.
 */
export class Latest {
  #key = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopper: AbortController | undefined;
  constructor(private wait: number) {}

  run(key: string, job: (signal: AbortSignal) => void, wait = this.wait): void {
    if (key === this.#key) return;
    this.stop();
    this.#key = key;
    const begin = () => {
      this.#timer = undefined;
      this.#stopper = new AbortController();
      job(this.#stopper.signal);
    };
    if (wait > 0) this.#timer = setTimeout(begin, wait);
    else begin();
  }

  /** Ends what is under way; the same wish may then be made again. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#stopper?.abort();
    this.#timer = this.#stopper = undefined;
    this.#key = "";
  }
}

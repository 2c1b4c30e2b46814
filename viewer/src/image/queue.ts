// Requests waiting their turn: the most wanted first, few at once, and none for what has left the view.

export type Job = {
  key: string;
  priority: number; // small is first
  run: (signal: AbortSignal) => Promise<void>;
};

type Running = { job: Job; abort: AbortController };

export class Queue {
  #waiting = new Map<string, Job>();
  #running = new Map<string, Running>();

  constructor(
    private readonly atOnce: number,
    private readonly idle: () => void = () => {},
  ) {}

  get pending(): number {
    return this.#waiting.size + this.#running.size;
  }

  has(key: string): boolean {
    return this.#waiting.has(key) || this.#running.has(key);
  }

  /** Says all that is wanted now: the rest is dropped, and stopped where it runs. */
  want(jobs: Map<string, Job>): void {
    for (const [key, r] of this.#running) {
      if (!jobs.has(key)) {
        this.#running.delete(key);
        r.abort.abort();
      }
    }
    this.#waiting.clear();
    for (const [key, job] of jobs) {
      if (!this.#running.has(key)) this.#waiting.set(key, job);
    }
    this.#pump();
  }

  stop(): void {
    this.#waiting.clear();
    for (const r of this.#running.values()) r.abort.abort();
    this.#running.clear();
  }

  #pump(): void {
    while (this.#running.size < this.atOnce && this.#waiting.size > 0) {
      let best: Job | undefined;
      for (const job of this.#waiting.values()) {
        if (best === undefined || job.priority < best.priority) best = job;
      }
      this.#start(best!);
    }
  }

  #start(job: Job): void {
    this.#waiting.delete(job.key);
    const r: Running = { job, abort: new AbortController() };
    this.#running.set(job.key, r);
    void job
      .run(r.abort.signal)
      .catch(() => {}) // the job tells its own failure
      .then(() => {
        if (this.#running.get(job.key) !== r) return;
        this.#running.delete(job.key);
        this.#pump();
        if (this.pending === 0) this.idle();
      });
  }
}

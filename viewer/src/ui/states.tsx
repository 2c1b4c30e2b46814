// What stands where there are no data: each case has words of its own.
import type { ComponentChildren } from "preact";
import type { Problem } from "../api";
import { Icon, type IconName } from "./icon";
import { Button } from "./button";

export function EmptyState(p: { title: string; text?: string; icon?: IconName; children?: ComponentChildren }) {
  return (
    <div class="state">
      {p.icon && <Icon name={p.icon} class="state-icon" />}
      <h2>{p.title}</h2>
      {p.text && <p>{p.text}</p>}
      {p.children}
    </div>
  );
}

const titles: Record<string, string> = {
  wrong_request: "The address asks for something that cannot be",
  unauthorized: "You need to sign in",
  forbidden: "Not allowed to open this",
  not_found: "There is nothing here",
  unfinished: "This copy is not finished",
  unknown_codec: "Stored in a way we cannot read",
  unsupported: "Cannot be shown this way",
  too_large: "Too large to show at once",
  damaged: "Damaged",
  upstream: "The place where the data are does not answer as it should",
  busy: "The server is busy",
  stopped: "The server does not answer",
  page: "This view failed",
};
const icons: Record<string, IconName> = { forbidden: "lock", unauthorized: "lock", not_found: "search", stopped: "source" };

/** titleOf is the headline of a problem. */
export function titleOf(p: Problem): string {
  return titles[p.kind] ?? "Something went wrong";
}

export function ErrorState(p: { problem: Problem; retry?: () => void; children?: ComponentChildren }) {
  const { problem } = p;
  return (
    <div class="state" role="alert">
      <Icon name={icons[problem.kind] ?? "warning"} class="state-icon" />
      <h2>{titleOf(problem)}</h2>
      <p class="mono wrap">{problem.error}</p>
      {problem.hint && <p class="hint">{problem.hint}</p>}
      {(problem.codec || problem.chunk) && (
        <p class="dim mono">{[problem.chunk && "chunk " + problem.chunk, problem.codec && "codec " + problem.codec].filter(Boolean).join(" · ")}</p>
      )}
      <div class="buttons">
        {p.retry && <Button icon="retry" onClick={p.retry}>Try again</Button>}
        {p.children}
      </div>
    </div>
  );
}

/** Skeleton is what stands until an answer comes: rows in the places of the words, so that nothing jumps. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => <span key={i} style={{ width: 40 + ((i * 37) % 50) + "%" }} />)}
    </div>
  );
}

// The bottom line: where the cursor is, what is there, what the page is doing, what failed.
import { status, type Status } from "./state";
import { Icon } from "./ui/icon";

const one = (s: Status, i: number) => <span key={i}>{s.label && s.label + " "}<b>{s.value}</b></span>;

export function Bottom() {
  const errors = status.errors.value;
  const last = errors[errors.length - 1];
  const work = status.work.value;
  return (
    <footer class="bottom" aria-label="Status">
      <div class="cursor">{status.cursor.value.map(one)}</div>
      {last && (
        <div class="failed" role="status" title={last.problem.hint ? last.problem.error + "\n" + last.problem.hint : last.problem.error}>
          <Icon name="warning" />
          <span class="grow">{errors.length > 1 && `${errors.length} failed, last: `}{last.problem.error}</span>
          {last.retry && <button type="button" class="plain-link" onClick={() => errors.forEach((e) => e.retry?.())}>Retry</button>}
        </div>
      )}
      <div class="work">{work.map((s) => (s.label ? s.label + " " : "") + s.value).join(" · ")}</div>
    </footer>
  );
}

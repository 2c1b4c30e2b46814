// The first page where several sources are served, or none.
import { sources, sourcesError, retry } from "./state";
import { Card } from "./cards";
import { EmptyState, ErrorState, Skeleton } from "./ui/states";

export function Start() {
  const list = sources.value;
  if (!list) return sourcesError.value ? <ErrorState problem={sourcesError.value} retry={retry} /> : <Skeleton />;
  if (!list.length) return <EmptyState icon="source" title="Nothing is served" text="Start the server with the address of some data: omnizarr serve URL" />;
  return (
    <div class="group" tabIndex={0} role="region" aria-label="Sources">
      <div class="group-head">
        <h1>Sources</h1>
        <p class="dim">Each of them is Zarr v3 below /zarr, Zarr v2 below /zarr2.</p>
      </div>
      <ul class="cards large">{list.map((s) => <Card key={s.name} source={s.name} path="/" title={s.name} fact={s.title ?? s.format ?? ""} icon="source" picture={!!s.picture} bad={s.problem?.error} />)}</ul>
    </div>
  );
}

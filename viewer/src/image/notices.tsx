import { useEffect, useState } from "preact/hooks";
import { value } from "../format";
import { Button } from "../ui/button";
import { ErrorState } from "../ui/states";
import type { ImageModel } from "./model";
import type { Stage } from "./stage";

/** Everything there is to say over the picture: that it loads, that it failed, that there is nothing to see. */
export function Notices({ model, stage }: { model: ImageModel; stage: Stage }) {
  const told = stage.told.value;
  const late = useLate(!told.drawn && told.waiting, 150);
  if (!stage.renderer) return <ErrorState problem={{ error: "This browser draws neither with WebGL nor on a canvas.", kind: "page" }} />;
  if (!told.drawn && !told.waiting && told.problem) return <ErrorState problem={told.problem} retry={() => stage.retry()} />;
  return (
    <div class="image-notices" aria-live="polite">
      {late && <div class="over image-note" role="status"><span class="image-spin" aria-hidden="true" />Loading…</div>}
      {told.failed > 0 && told.drawn && (
        <div class="over image-note bad" role="alert">
          <span><b>{told.failed === 1 ? "A tile" : `${told.failed} tiles`} could not be read</b> {told.problem?.error}</span>
          <Button icon="retry" onClick={() => stage.retry()}>Try again</Button>
        </div>
      )}
      <Nothing model={model} />
      {model.measuring.value && <Measured stage={stage} />}
    </div>
  );
}

function Measured({ stage }: { stage: Stage }) {
  const n = stage.points.value.length;
  return <div class="over image-note">{n === 0 ? "Choose the first point" : n === 1 ? "Choose the second point" : <><span class="sr">Distance </span><b>{stage.distanceWords()}</b></>}</div>;
}

/** Why a picture may look empty although nothing is wrong. */
function Nothing({ model }: { model: ImageModel }) {
  if (model.info.rgb) return null;
  const shown = model.shown.value.map((i) => model.channels[i]!);
  if (shown.length === 0) {
    return (
      <div class="over image-note">
        <span>All channels are hidden</span>
        <Button onClick={() => { for (const c of model.channels) c.on.value = true; }}>Show all</Button>
      </div>
    );
  }
  const stats = shown.map((c) => c.stats.value);
  if (stats.some((s) => s === null)) return null;
  if (stats.every((s) => s!.min === null)) return <div class="over image-note">No values here: all of this plane is missing</div>;
  if (stats.every((s) => s!.exact !== false && s!.min !== null && s!.min === s!.max)) {
    const words = stats.map((s, i) => (shown.length > 1 ? shown[i]!.label + " " : "") + value(Number(s!.min)));
    return <div class="over image-note">{`Every value here is the same: ${words.join(", ")}`}</div>;
  }
  return null;
}

/** Where north is, on maps. */
export function North({ model }: { model: ImageModel }) {
  const { map, up } = model.info;
  if (!map) return null;
  return (
    <div class="image-north" role="img" aria-label={map.north === 0 ? "North is up" : `North is ${Math.round(map.north)} degrees clockwise from up`}>
      <svg viewBox="0 0 24 34" style={{ transform: `rotate(${map.north}deg)` }} data-up={up}>
        <path d="M12 9l6 20-6-5-6 5z" />
        <text x="12" y="7" text-anchor="middle">N</text>
      </svg>
    </div>
  );
}

/** True once something has been so for a while: what is quick needs no words. */
function useLate(now: boolean, ms: number): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!now) return setLate(false);
    const t = setTimeout(() => setLate(true), ms);
    return () => clearTimeout(t);
  }, [now]);
  return late && now;
}

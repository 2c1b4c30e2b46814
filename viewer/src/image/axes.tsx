import { useEffect } from "preact/hooks";
import { group } from "../format";
import { registerKey } from "../state";
import { Button } from "../ui/button";
import { Slider } from "../ui/slider";
import type { ImageModel } from "./model";
import { axisText } from "./place";

const speeds = [1, 2, 5, 10, 20];

/** A slider for every axis that is not in the picture, with its real values, and play. */
export function Axes({ model }: { model: ImageModel }) {
  if (model.sliders.length === 0) return null;
  return (
    <div class="over image-axes" role="group" aria-label="Position on the other axes">
      {model.sliders.map((i) => <AxisRow key={i} model={model} axis={i} />)}
    </div>
  );
}

function AxisRow({ model, axis }: { model: ImageModel; axis: number }) {
  const a = model.info.axes[axis]!;
  const at = model.position.value[axis]!;
  const name = a.name || "axis " + axis;
  const words = axisText(a, at);
  const playing = model.playing.value?.axis === axis;
  return (
    <>
      <span class="image-axis-name" title={name}>{name}</span>
      <Slider label={name} value={at} min={0} max={a.size - 1} text={`${at + 1} of ${a.size}${words ? ", " + words : ""}`} onInput={(v) => model.setPosition(axis, v)} />
      <span class="image-axis-at">{group(at + 1)} / {group(a.size)}</span>
      <span class="image-axis-value">{words}</span>
      <span class="image-axis-play">
        <Button quiet icon={playing ? "pause" : "play"} label={playing ? `Stop playing ${name}` : `Play ${name}`} on={playing} onClick={() => toggle(model, axis)} />
        {playing && (
          <select
            class="image-speed" aria-label="Pictures in a second" value={model.playing.value!.fps}
            onChange={(e) => (model.playing.value = { axis, fps: Number(e.currentTarget.value) })}
          >
            {speeds.map((s) => <option key={s} value={s}>{s}/s</option>)}
          </select>
        )}
      </span>
    </>
  );
}

function toggle(model: ImageModel, axis: number): void {
  model.playing.value = model.playing.peek()?.axis === axis ? null : { axis, fps: 5 };
}

/** Keys move along the axes: the first is nearest to hand. */
export function useAxisKeys(model: ImageModel): void {
  useEffect(() => {
    const undo: (() => void)[] = [];
    const pairs: [string, string][] = [[",", "."], ["[", "]"], ["{", "}"], ["<", ">"]];
    // The axis that is moved along most often stands last in the file's order.
    [...model.sliders].reverse().slice(0, pairs.length).forEach((axis, k) => {
      const name = model.info.axes[axis]!.name || "axis " + axis;
      const step = (by: number) => model.setPosition(axis, model.position.peek()[axis]! + by);
      undo.push(registerKey(pairs[k]![0], `back along ${name}`, () => step(-1)), registerKey(pairs[k]![1], `on along ${name}`, () => step(1)));
    });
    const first = model.sliders.find((i) => model.info.axes[i]!.type === "time") ?? model.sliders[0];
    if (first !== undefined) undo.push(registerKey("Space", "play or stop", () => toggle(model, model.playing.peek()?.axis ?? first)));
    return () => {
      for (const u of undo) u();
    };
  }, [model]);
}

import { Button } from "../ui/button";
import { save } from "./index";
import type { ImageModel } from "./model";
import type { Stage } from "./stage";

/** The buttons at the edge of the picture. */
export function Tools({ model, stage }: { model: ImageModel; stage: Stage }) {
  const { grid, measuring, labels, info } = model;
  return (
    <div class="over image-tools" role="toolbar" aria-label="Picture" aria-orientation="vertical">
      <Button quiet icon="plus" label="Zoom in" hotkey="+" onClick={() => stage.zoom(1.6)} />
      <Button quiet icon="minus" label="Zoom out" hotkey="-" onClick={() => stage.zoom(1 / 1.6)} />
      <Button quiet icon="fit" label="Show everything" hotkey="0" onClick={() => stage.fit()} />
      <Button quiet icon="grid" label="Grid of chunks" hotkey="g" on={grid.value} onClick={() => (grid.value = !grid.peek())} />
      {info.labels.length > 0 && <Button quiet icon="labels" label="Labels" hotkey="l" on={labels.value !== null} onClick={() => (labels.value = labels.peek() ? null : { index: 0, opacity: 0.5, edges: false })} />}
      <Button quiet icon="measure" label="Measure a distance" hotkey="m" on={measuring.value} onClick={() => (measuring.value = !measuring.peek())} />
      <Button quiet icon="download" label="Save the picture" hotkey="s" onClick={() => void save(model, stage)} />
    </div>
  );
}

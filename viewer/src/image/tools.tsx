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
      {info.labels.length > 0 && <Switch label="Labels" hotkey="l" on={labels.value !== null} d="M3 3.500h5.500l4.500 4.500-5 5-5-4.500zM5.500 6v.1" onClick={() => (labels.value = labels.peek() ? null : { index: 0, opacity: 0.5, edges: false })} />}
      <Switch label="Measure a distance" hotkey="m" on={measuring.value} d="M2 11L11 2l3 3-9 9zM4.700 8.300l1.500 1.500M7 6l1.500 1.500M9.300 3.700l1.500 1.500" onClick={() => (measuring.value = !measuring.peek())} />
      <Button quiet icon="download" label="Save the picture" hotkey="s" onClick={() => void save(model, stage)} />
    </div>
  );
}

/** A switch with a picture of its own. */
function Switch(p: { label: string; hotkey: string; on: boolean; d: string; onClick: () => void }) {
  return (
    <button type="button" class="btn quiet square" aria-label={p.label} title={`${p.label} (${p.hotkey})`} aria-keyshortcuts={p.hotkey} aria-pressed={p.on} onClick={p.onClick}>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={p.d} /></svg>
    </button>
  );
}

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
      {info.labels.length > 0 && (
        <button
          type="button" class="btn quiet square" aria-label="Labels" title="Labels (l)" aria-keyshortcuts="l" aria-pressed={labels.value !== null}
          onClick={() => (labels.value = labels.peek() ? null : { index: 0, opacity: 0.5, edges: false })}
        ><Glyph d="M3 3.500h5.500l4.500 4.500-5 5-5-4.500zM5.500 6v.1" /></button>
      )}
      <button
        type="button" class="btn quiet square" aria-label="Measure a distance" title="Measure a distance (m)" aria-keyshortcuts="m" aria-pressed={measuring.value}
        onClick={() => (measuring.value = !measuring.peek())}
      ><Glyph d="M2 11L11 2l3 3-9 9zM4.700 8.300l1.500 1.500M7 6l1.500 1.500M9.300 3.700l1.500 1.500" /></button>
      <Button quiet icon="download" label="Save the picture" hotkey="s" onClick={() => void save(model, stage)} />
    </div>
  );
}

function Glyph({ d }: { d: string }) {
  return <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d={d} /></svg>;
}

// The panel beside an array: its axes, which go down and across, its picture, and files of what is on screen.
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Node } from "../api";
import { group } from "../format";
import { onScreen, setParams, setView } from "../state";
import { Icon } from "../ui/icon";
import { axisName, useLayoutParams } from "./array";
import { strides } from "./slices";

export function ArrayDisplay({ node }: { node: Node }) {
  const [lost, setLost] = useState(false);
  const array = node.array;
  if (!array || array.shape.length === 0) return null;
  const shape = array.shape, steps = strides(shape), l = useLayoutParams(node);
  const choose = (rows: number, columns: number) => setParams({ axes: `${rows},${columns}`, row: undefined, col: undefined });
  const many = shape.length > 1;
  const screen = onScreen.value;
  return (
    <>
      <section class="section">
        <h3>Axes</h3>
        <table class="axes">
          <thead><tr><th scope="col">name</th><th scope="col">size</th><th scope="col">stride</th><th scope="col">chunk</th></tr></thead>
          <tbody>
            {shape.map((size, i) => (
              <tr key={i}><th scope="row">{axisName(node, i)}{i === l.rows && many ? " ↓" : i === l.columns ? " →" : ""}</th><td>{group(size)}</td><td>{group(steps[i]!)}</td><td>{array.chunks[i] === undefined ? "" : group(array.chunks[i]!)}</td></tr>
            ))}
          </tbody>
        </table>
        {shape.length > 2 && (
          <div class="pair">
            <label>Down<select class="field" value={l.rows} onChange={(e) => choose(Number(e.currentTarget.value), Number(e.currentTarget.value) === l.columns ? l.rows : l.columns)}>{shape.map((_, i) => <option key={i} value={i}>{axisName(node, i)}</option>)}</select></label>
            <label>Across<select class="field" value={l.columns} onChange={(e) => choose(Number(e.currentTarget.value) === l.rows ? l.columns : l.rows, Number(e.currentTarget.value))}>{shape.map((_, i) => <option key={i} value={i}>{axisName(node, i)}</option>)}</select></label>
          </div>
        )}
        {shape.length === 2 && <button type="button" class="btn" onClick={() => choose(l.columns, l.rows)}>Transpose</button>}
      </section>
      {many && node.views.includes("image") && !lost && (
        <section class="section">
          <h3>Picture</h3>
          <button type="button" class="array-picture" onClick={() => setView("image")} aria-label="Open as an image"><img src={api.thumbnail(node, 256)} alt="" onError={() => setLost(true)} /></button>
        </section>
      )}
      {screen && screen.slice && (
        <section class="section">
          <h3>What is on screen</h3>
          <div class="pair">
            {(["csv", "npy", "json"] as const).map((as) => <a key={as} class="btn" href={api.sliceAddress({ source: node.source, path: screen.path }, screen.slice, as)} download={`${node.name}.${as}`}><Icon name="download" />{as.toUpperCase()}</a>)}
          </div>
        </section>
      )}
    </>
  );
}

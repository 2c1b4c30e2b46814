// The panel beside an array: its axes, which go down and across, its picture, and files of what is on screen.
import * as api from "../api";
import type { Node } from "../api";
import { group } from "../format";
import { onScreen, setParams } from "../state";
import { Icon } from "../ui/icon";
import { axisName, useLayoutParams } from "./array";
import { strides } from "./slices";

export function ArrayDisplay({ node }: { node: Node }) {
  const array = node.array;
  if (!array || array.shape.length === 0) return null;
  const shape = array.shape, steps = strides(shape), l = useLayoutParams(node);
  const many = shape.length > 1;
  const screen = onScreen.value;
  return (
    <>
      <section class="section">
        <h3>Axes</h3>
        <table class="small">
          <thead><tr><th scope="col">name</th><th scope="col">size</th><th scope="col">stride</th><th scope="col">chunk</th></tr></thead>
          <tbody>
            {shape.map((size, i) => (
              <tr key={i}><th scope="row">{axisName(node, i)}{i === l.rows && many ? " ↓" : i === l.columns ? " →" : ""}</th><td>{group(size)}</td><td>{group(steps[i]!)}</td><td>{array.chunks[i] === undefined ? "" : group(array.chunks[i]!)}</td></tr>
            ))}
          </tbody>
        </table>
        {many && (
          <div class="pair">
            {([["Down", l.rows, l.columns], ["Across", l.columns, l.rows]] as const).map(([label, on, other]) => (
              <label key={label}>{label}<select
                class="field" value={on}
                onChange={(e) => {
                  const to = Number(e.currentTarget.value), rest = to === other ? on : other;
                  setParams({ axes: label === "Down" ? `${to},${rest}` : `${rest},${to}`, row: undefined, col: undefined });
                }}
              >{shape.map((_, i) => <option key={i} value={i}>{axisName(node, i)}</option>)}</select></label>
            ))}
          </div>
        )}
      </section>
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

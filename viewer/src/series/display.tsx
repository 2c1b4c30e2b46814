// The panels beside series and rasters.
import type { IntervalsInfo, Node } from "../api";
import { group } from "../format";
import { route, setParams } from "../state";
import { Button } from "../ui/button";
import { chosenBands } from "./bands";
import { infoOf, limitsOf } from "./info";
import { levels } from "./levels";
import { inside, parseShown, shownText } from "./rows";
import { zeroOf } from "./series";
import { scaled } from "./units";

/** A choice among few, as a row of switches. */
function Choice<T>(p: { label: string; options: [T, string | number][]; on: T; set: (v: T) => void }) {
  return (
    <div class="choice" role="group" aria-label={p.label}>
      {p.options.map(([id, text]) => <button key={text} type="button" aria-pressed={p.on === id} onClick={() => p.set(id)}>{text}</button>)}
    </div>
  );
}

/** A choice among many. */
function Pick(p: { label: string; options: [string, string][]; on: string; set: (v: string) => void }) {
  return <select class="field" aria-label={p.label} value={p.on} onChange={(e) => p.set(e.currentTarget.value)}>{p.options.map(([id, text]) => <option key={id} value={id}>{text}</option>)}</select>;
}

function BandsSection({ tables }: { tables: IntervalsInfo[] }) {
  if (!tables.length) return null;
  return (
    <section class="section">
      <h3>Events and epochs</h3>
      <Pick
        label="Events and epochs" options={[["none", "None"], ...tables.map((t): [string, string] => [t.path, `${t.name}, ${group(t.rows)} rows`])]}
        on={chosenBands(tables, route.value.params["bands"])?.path ?? "none"} set={(bands) => setParams({ bands })}
      />
    </section>
  );
}

export function SeriesDisplay({ node }: { node: Node }) {
  if (!node.series && !node.array) return null;
  const info = infoOf(node), q = route.value.params, limits = limitsOf(info), all = info.channels;
  const shown = parseShown(q["ch"], all, 16);
  const chosen = Number(q["gain"]) > 0;
  const gain = chosen ? Number(q["gain"]) : levels.value.gain;
  const by = scaled(gain, info.unit);
  const set = (first: number, count: number) => setParams({ ch: shownText(inside({ first, count }, all)) });
  const setGain = (v: number) => setParams({ gain: v > 0 ? String(Number(v.toPrecision(4))) : undefined });
  return (
    <>
      {all > 1 && (
        <section class="section">
          <h3>Channels <span class="fact">{group(all)}</span></h3>
          <div class="pair">
            <Choice label="How many" options={[1, 16, 64, all].filter((n, i, l) => n <= all && l.indexOf(n) === i).map((n) => [n, n === 1 ? "One" : n === all ? "All" : n])} on={shown.count} set={(n) => set(shown.first, n)} />
            <label>from<input class="field mono" type="number" min={0} max={all - 1} value={shown.first} onChange={(e) => set(Number(e.currentTarget.value), shown.count)} /></label>
          </div>
        </section>
      )}
      <section class="section">
        <h3>Gain</h3>
        <div class="pair">
          <input class="field mono" type="number" step="any" min={0} value={gain > 0 ? Number((gain * by.factor).toPrecision(4)) : ""} aria-label="Height of a row" onChange={(e) => setGain(Number(e.currentTarget.value) / by.factor)} />
          <span class="fact">{by.unit} per row</span>
          <Button on={!chosen} hotkey="a" label="Gain that fits" onClick={() => setGain(chosen ? 0 : gain)}>Auto</Button>
        </div>
        <p class="dim">Shift and the wheel change it.</p>
      </section>
      {info.zero && (
        <section class="section">
          <h3>Time</h3>
          <Choice label="Time as" options={[[false, "Seconds"], [true, "Dates"]]} on={zeroOf(info.zero, limits.end - limits.start) !== null} set={(v) => setParams({ time: v ? "date" : "seconds" })} />
        </section>
      )}
      <BandsSection tables={info.intervals} />
    </>
  );
}

export function SpikesDisplay({ node }: { node: Node }) {
  const info = node.spikes;
  if (!info) return null;
  const sort = route.value.params["sort"] ?? "", down = sort.startsWith("-"), column = down ? sort.slice(1) : sort;
  return (
    <>
      <section class="section">
        <h3>Order of units</h3>
        <div class="pair">
          <Pick label="Sort units by" options={[["", "As stored"], ...info.order.map((c): [string, string] => [c, c])]} on={column} set={(c) => setParams({ sort: c && down ? "-" + c : c })} />
          <Button on={down} disabled={!column} onClick={() => setParams({ sort: down ? column : "-" + column })}>Descending</Button>
        </div>
        <p class="dim">A click on a unit opens its row in the table.</p>
      </section>
      <BandsSection tables={info.intervals} />
    </>
  );
}

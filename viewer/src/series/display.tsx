// The panels beside series and rasters.
import "../ui/controls.css";
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
function Choice<T extends string>(p: { label: string; options: [T, string][]; on: T; set: (v: T) => void }) {
  return (
    <div class="choice" role="radiogroup" aria-label={p.label}>
      {p.options.map(([id, text]) => <button key={id} type="button" role="radio" aria-checked={p.on === id} onClick={() => p.set(id)}>{text}</button>)}
    </div>
  );
}

function BandsSection({ tables }: { tables: IntervalsInfo[] }) {
  if (!tables.length) return null;
  const on = chosenBands(tables, route.value.params["bands"]);
  return (
    <section class="section">
      <h3>Events and epochs</h3>
      <label class="pick"><input type="radio" name="bands" checked={!on} onChange={() => setParams({ bands: "none" })} /><span class="grow">None</span></label>
      {tables.map((t) => (
        <label class="pick" key={t.path} title={t.path}>
          <input type="radio" name="bands" checked={on?.path === t.path} onChange={() => setParams({ bands: t.path })} />
          <span class="grow">{t.name}</span><span class="fact">{group(t.rows)} rows</span>
        </label>
      ))}
    </section>
  );
}

export function SeriesDisplay({ node }: { node: Node }) {
  if (!node.series && !node.array) return null;
  const info = infoOf(node), q = route.value.params, limits = limitsOf(info);
  const shown = parseShown(q["ch"], info.channels, 16);
  const chosen = Number(q["gain"]) > 0;
  const gain = chosen ? Number(q["gain"]) : levels.value.gain;
  const by = scaled(gain, info.unit);
  const dates = zeroOf(info.zero, limits.end - limits.start) !== null;
  const set = (first: number, count: number) => setParams({ ch: shownText(inside({ first, count }, info.channels)) });
  return (
    <>
      {info.channels > 1 && (
        <section class="section">
          <h3>Channels</h3>
          <div class="pair">
            <label>From<input class="field mono" type="number" min={0} max={info.channels - 1} value={shown.first} onChange={(e) => set(Number(e.currentTarget.value), shown.count)} /></label>
            <label>Shown<input class="field mono" type="number" min={1} max={info.channels} value={shown.count} onChange={(e) => set(shown.first, Number(e.currentTarget.value))} /></label>
            <span class="fact">of {group(info.channels)}</span>
          </div>
          <div class="choice" role="group" aria-label="How many channels">
            {[1, 16, 64, info.channels].filter((n, i, all) => n <= info.channels && all.indexOf(n) === i).map((n) => (
              <button key={n} type="button" aria-pressed={shown.count === n} onClick={() => set(shown.first, n)}>{n === 1 ? "One" : n === info.channels ? "All" : n}</button>
            ))}
          </div>
        </section>
      )}
      <section class="section">
        <h3>Gain</h3>
        <div class="pair">
          <label>Row<input
            class="field mono" type="number" step="any" min={0} value={gain > 0 ? Number((gain * by.factor).toPrecision(4)) : ""} aria-label={`Height of a row in ${by.unit || "units of the data"}`}
            onChange={(e) => setParams({ gain: Number(e.currentTarget.value) > 0 ? String(Number(e.currentTarget.value) / by.factor) : undefined })}
          /></label>
          <span class="fact">{by.unit}</span>
          <Button icon="plus" label="Greater" hotkey="Shift+ArrowUp" onClick={() => setParams({ gain: String(Number((gain / 1.25).toPrecision(4))) })} />
          <Button icon="minus" label="Smaller" hotkey="Shift+ArrowDown" onClick={() => setParams({ gain: String(Number((gain * 1.25).toPrecision(4))) })} />
          <Button on={!chosen} onClick={() => setParams({ gain: chosen ? undefined : String(Number(gain.toPrecision(4))) })}>Auto</Button>
        </div>
        <p class="dim">Shift and the wheel change it.</p>
      </section>
      {info.zero && (
        <section class="section">
          <h3>Time</h3>
          <Choice label="Time as" options={[["seconds", "Seconds"], ["date", "Dates"]]} on={dates ? "date" : "seconds"} set={(v) => setParams({ time: v })} />
        </section>
      )}
      <BandsSection tables={info.intervals} />
    </>
  );
}

export function SpikesDisplay({ node }: { node: Node }) {
  const info = node.spikes, q = route.value.params;
  if (!info) return null;
  const sort = q["sort"] ?? "", down = sort.startsWith("-"), column = down ? sort.slice(1) : sort;
  return (
    <>
      <section class="section">
        <h3>Order of units</h3>
        <div class="pair">
          <select class="field" aria-label="Sort units by" value={column} onChange={(e) => setParams({ sort: (e.currentTarget.value && down ? "-" : "") + e.currentTarget.value || undefined })}>
            <option value="">As stored</option>
            {info.order.map((c) => <option key={c} value={c}>{c}</option>)}
          </select>
          <Button on={down} disabled={!column} onClick={() => setParams({ sort: down ? column : "-" + column })}>Descending</Button>
        </div>
      </section>
      <BandsSection tables={info.intervals} />
      <section class="section">
        <p class="dim">A click on a unit opens its row in the table.</p>
      </section>
    </>
  );
}

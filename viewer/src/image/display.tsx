// The Display panel: channels with their histograms and windows, colour maps, labels.

import type { Node } from "../api";
import { useComputed, useSignal } from "../signals";
import { value } from "../format";
import { Button } from "../ui/button";
import { Slider } from "../ui/slider";
import { lut, mapNames } from "./colours";
import { plain } from "./contrast";
import { Histogram } from "./histogram";
import { type ChannelModel, type ImageModel, modelOf } from "./model";

export function ImageDisplay({ node }: { node: Node }) {
  const model = modelOf(node);
  if (!model || model.empty) return <p class="section dim">There is nothing to set here.</p>;
  return (
    <div class="image-display">
      {model.info.rgb ? <p class="section dim">The channels are red, green and blue, shown as they are stored.</p> : <Channels model={model} />}
      {!model.info.rgb && <Maps model={model} />}
      {model.info.labels.length > 0 && <Labels model={model} />}
      <section class="section">
        <h3>Over the picture</h3>
        <Grid model={model} />
      </section>
    </div>
  );
}

function Channels({ model }: { model: ImageModel }) {
  const { log } = model;
  return (
    <section class="section" aria-label="Channels">
      <div class="image-bar">
        <Button label="Contrast from the 0.1 and 99.9 percentiles of this plane" hotkey="a" onClick={() => model.autoContrast()}>Auto</Button>
        <Button label="Back to what the file says" onClick={() => { for (const c of model.channels) c.reset(); model.map.value = ""; }}>Reset</Button>
        <Button label="Histograms with a logarithmic scale" on={log.value} onClick={() => (log.value = !log.peek())}>log</Button>
      </div>
      {model.channels.map((c) => <Channel key={c.index} model={model} c={c} />)}
    </section>
  );
}

function Channel({ model, c }: { model: ImageModel; c: ChannelModel }) {
  const open = useSignal(false);
  const many = model.channels.length > 1;
  const w = c.window.value;
  const mapped = useComputed(() => model.look.value.map !== null && c.on.value);
  const colour = mapped.value ? "#8fa3b8" : c.colour.value;
  return (
    <div class={"image-channel" + (c.on.value ? "" : " off")}>
      <div class="image-channel-head">
        {many ? (
          <button
            type="button" class="image-dot" role="switch" aria-checked={c.on.value} aria-label={"Show " + c.label} title={c.on.value ? "Hide" : "Show"}
            onClick={() => (c.on.value = !c.on.peek())}
          ><span style={{ background: c.on.value ? c.colour.value : "none", borderColor: c.colour.value }} /></button>
        ) : null}
        <span class="grow" title={c.label}>{c.label}</span>
        {c.on.value && w ? <Window c={c} w={w} /> : <span class="fact">{c.on.value ? "…" : "off"}</span>}
        {c.on.value && <Button quiet class="image-more" icon="sliders" label={`More for ${c.label}`} on={open.value} onClick={() => (open.value = !open.peek())} />}
      </div>
      {c.on.value && <Histogram model={model} c={c} colour={colour} />}
      {c.on.value && open.value && (
        <div class="image-channel-more">
          {many && (
            <label class="image-line"><span>Colour</span><input type="color" value={c.colour.value} onInput={(e) => (c.colour.value = e.currentTarget.value)} /></label>
          )}
          <Line name="Gamma" of={c.label} min={-1} value={Math.log10(c.gamma.value)} text={value(c.gamma.value, 2)} set={(v) => (c.gamma.value = Number((10 ** (Math.abs(v) < 0.03 ? 0 : v)).toPrecision(2)))} />
          <Line name="Opacity" of={c.label} min={0} value={c.opacity.value} text={percent(c.opacity.value)} set={(v) => (c.opacity.value = v)} />
          <div class="image-bar"><Button onClick={() => model.autoContrast(c)}>Auto</Button><Button onClick={() => c.reset()}>Reset</Button></div>
        </div>
      )}
    </div>
  );
}

const percent = (v: number) => Math.round(v * 100) + " %";

function Line(p: { name: string; of: string; min: number; value: number; text: string; set: (v: number) => void }) {
  return <label class="image-line"><span>{p.name}</span><Slider label={`${p.name} of ${p.of}`} min={p.min} max={1} step={0.01} value={p.value} text={p.text} onInput={p.set} /><output>{p.text}</output></label>;
}

/** The two ends as boxes that look like words until one goes there. */
function Window({ c, w }: { c: ChannelModel; w: [number, number] }) {
  const box = (i: 0 | 1, name: string) => (
    <input
      class="image-number" inputMode="decimal" aria-label={`${name} of ${c.label}`} value={plain(w[i])} size={Math.max(3, plain(w[i]).length)}
      onChange={(e) => {
        const v = Number(e.currentTarget.value.replace(/[\s\u202f]/g, "").replace("−", "-").replace(",", "."));
        const next: [number, number] = i === 0 ? [v, w[1]] : [w[0], v];
        if (Number.isFinite(v) && next[1] > next[0]) c.chosen.value = next;
        else e.currentTarget.value = plain(w[i]);
      }}
    />
  );
  return <span class="image-window">{box(0, "Darkest value")}<span aria-hidden="true">–</span>{box(1, "Brightest value")}</span>;
}

function Maps({ model }: { model: ImageModel }) {
  if (!model.single.value) return null;
  const many = model.channels.length > 1;
  const reversed = model.map.value.endsWith("_r");
  const now = model.map.value.replace(/_r$/, "") || (many ? "colour" : model.usualMap);
  const set = (name: string, r: boolean) => (model.map.value = name === "colour" || (!many && name === model.usualMap && !r) ? "" : name + (r ? "_r" : ""));
  return (
    <section class="section">
      <div class="image-bar">
        <h3 class="grow">Colour map</h3>
        <Button label="Reversed" on={reversed} disabled={now === "colour"} onClick={() => set(now, !reversed)}>Reversed</Button>
      </div>
      <div class="image-maps" role="radiogroup" aria-label="Colour map">
        {(many ? ["colour", ...mapNames] : mapNames).map((name) => (
          <label key={name} class="image-map" title={name}>
            <input type="radio" name="map" class="sr" checked={now === name} onChange={() => set(name, reversed)} />
            <span class="image-ramp" style={{ background: name === "colour" ? `linear-gradient(to right, #000, ${model.channels[model.shown.value[0]!]!.colour.value})` : ramp(reversed ? name + "_r" : name) }} />
            <span>{name === "colour" ? "channel" : name}</span>
          </label>
        ))}
      </div>
    </section>
  );
}

function ramp(name: string): string {
  const l = lut(name);
  return `linear-gradient(to right, ${Array.from({ length: 16 }, (_, i) => `rgb(${l.slice(i * 68, i * 68 + 3).join()})`).join()})`;
}

function Labels({ model }: { model: ImageModel }) {
  const on = model.labels.value;
  const list = model.info.labels;
  return (
    <section class="section">
      <div class="image-bar"><h3 class="grow">Labels</h3>{on && <Button label="Only the edges of labels" on={on.edges} onClick={() => (model.labels.value = { ...on, edges: !on.edges })}>Edges</Button>}</div>
      {list.map((l, i) => (
        <label key={l.path} class="image-check">
          <input type="checkbox" checked={on?.index === i} onChange={(e) => (model.labels.value = e.currentTarget.checked ? { index: i, opacity: on?.opacity ?? 0.5, edges: on?.edges ?? false } : null)} />
          <span class="grow">{l.name}</span>
        </label>
      ))}
      {on && <Line name="Opacity" of="labels" min={0} value={on.opacity} text={percent(on.opacity)} set={(v) => (model.labels.value = { ...on, opacity: v })} />}
    </section>
  );
}

function Grid({ model }: { model: ImageModel }) {
  const { info } = model;
  const l = info.levels[0]!;
  const words = (s: number[]) => `${s[info.y]} × ${s[info.x]}`;
  return (
    <label class="image-check">
      <input type="checkbox" checked={model.grid.value} onChange={(e) => (model.grid.value = e.currentTarget.checked)} />
      <span class="grow">{l.shards ? "Grid" : "Chunks"}</span>
      <span class="fact"><i class="image-key" title="chunks" /> {words(l.chunks)}{l.shards && <> <i class="image-key shard" title="shards" /> {words(l.shards)}</>}</span>
    </label>
  );
}

// What is shown of an image and how, as signals: the view and the Display panel share it, the address has it.

import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "../signals";
import * as api from "../api";
import type { ImageInfo, Node, Problem, Stats } from "../api";
import { route, setParams } from "../state";
import { channelColour, lut, rgb } from "./colours";
import { autoWindow, typeRange, usable } from "./contrast";
import { mostChannels } from "./gl";
import type { Look } from "./look";
import { axisParam, type ChannelParam, formatChannels, formatLabels, parseChannels, parseLabels } from "./params";
import { atOf } from "./tiles";

export type LabelsShown = { index: number; opacity: number; edges: boolean };

export class ChannelModel {
  readonly on: Signal<boolean>;
  /** What was chosen; null: what the file or the percentiles say. */
  readonly chosen = signal<[number, number] | null>(null);
  readonly colour: Signal<string>;
  readonly gamma = signal(1);
  readonly opacity = signal(1);
  /** Of the plane in view, for the histogram. */
  readonly stats = signal<Stats | null>(null);
  readonly problem = signal<Problem | null>(null);
  /** By percentiles of the plane one begins with, so that an address means the same picture everywhere. */
  readonly auto = signal<[number, number] | null>(null);
  /** Until the server has counted: from the first tile. */
  readonly guess = signal<[number, number] | null>(null);
  readonly usual: ReadonlySignal<[number, number] | null>;
  readonly window: ReadonlySignal<[number, number] | null>;
  readonly usualColour: string;

  constructor(
    readonly index: number,
    readonly label: string,
    readonly file: api.Channel,
    n: number,
  ) {
    this.usualColour = channelColour(file.color, index, n);
    this.colour = signal(this.usualColour);
    this.on = signal(file.active);
    this.usual = computed(() => {
      const w = file.window && file.window[1] > file.window[0] ? file.window : (this.auto.value ?? this.guess.value);
      return w && usable(w[0], w[1]);
    });
    this.window = computed(() => this.chosen.value ?? this.usual.value);
  }

  reset(): void {
    batch(() => {
      this.chosen.value = null;
      this.colour.value = this.usualColour;
      this.gamma.value = 1;
      this.opacity.value = 1;
    });
  }
}

export class ImageModel {
  readonly channels: ChannelModel[];
  readonly position: Signal<number[]>;
  /** "" for the colours of the channels, which is grey where there is one. */
  readonly map = signal("");
  readonly grid = signal(false);
  readonly labels = signal<LabelsShown | null>(null);
  readonly log = signal(false);
  readonly measuring = signal(false);
  readonly playing = signal<{ axis: number; fps: number } | null>(null);
  /** Axes one can move along: not those of the picture, not channels, more than one long. */
  readonly sliders: number[];
  readonly empty: boolean;
  readonly at: ReadonlySignal<string>;
  readonly shown: ReadonlySignal<number[]>;
  readonly look: ReadonlySignal<Look>;
  /** Where the camera should go: by the address at first, and when it is changed from outside. */
  readonly camera = signal<{ x: number; y: number; zoom: number } | null>(null);
  /** Fields on a map (heights, temperatures) are told apart by more than grey; all else is grey, or its channels' colours. */
  readonly usualMap: string;
  #version = 0;
  #written = "";

  constructor(
    readonly node: Node,
    readonly info: ImageInfo,
  ) {
    const n = info.channels.length;
    const list: api.Channel[] = n ? info.channels : [{ label: "", color: "#ffffff", active: true }];
    this.channels = list.map((c, i) => new ChannelModel(i, c.label || (list.length > 1 ? `Channel ${i}` : "Values"), c, list.length));
    if (!this.channels.some((c) => c.on.peek())) this.channels[0]!.on.value = true;
    let left = mostChannels;
    for (const c of this.channels) if (c.on.peek() && left-- <= 0) c.on.value = false;
    this.position = signal(info.axes.map((a, i) => clamp(info.position[i] ?? 0, a.size)));
    this.sliders = info.axes.map((_, i) => i).filter((i) => i !== info.x && i !== info.y && i !== info.channel && info.axes[i]!.size > 1);
    this.usualMap = info.map && info.data_type === "float32" && n === 1 ? "viridis" : "grey";
    this.empty = info.axes.some((a) => a.size === 0) || info.levels.length === 0;
    this.at = computed(() => atOf(info, this.position.value));
    this.shown = computed(() => (info.rgb ? this.channels.slice(0, 4) : this.channels.filter((c) => c.on.value)).map((c) => c.index).slice(0, mostChannels));
    this.look = computed(() => this.#makeLook());
    this.readParams(route.peek().params);
  }

  /** Is there one channel in sight, which a colour map can show? */
  readonly single = computed(() => !this.info.rgb && this.shown.value.length === 1);

  #makeLook(): Look {
    const { info } = this;
    const [, most] = typeRange(info.data_type);
    const mapped = this.single.value && (this.map.value !== "" || this.channels.length === 1);
    const channels = this.shown.value.map((i) => {
      const c = this.channels[i]!;
      if (info.rgb) return { channel: i, lo: 0, hi: most, gamma: 1, r: i === 0 ? 1 : 0, g: i === 1 ? 1 : 0, b: i === 2 ? 1 : 0 };
      const [lo, hi] = c.window.value ?? typeRange(info.data_type);
      const [r, g, b] = rgb(c.colour.value);
      const o = c.opacity.value / 255;
      return { channel: i, lo, hi, gamma: c.gamma.value, r: r * o, g: g * o, b: b * o };
    });
    return { channels, map: mapped ? lut(this.map.value || this.usualMap) : null, alpha: info.rgb && channels.length === 4, version: ++this.#version };
  }

  setPosition(axis: number, index: number): void {
    const p = this.position.peek();
    const v = clamp(index, this.info.axes[axis]!.size);
    if (p[axis] === v) return;
    this.position.value = p.map((old, i) => (i === axis ? v : old));
  }

  readParams(params: Record<string, string>): void {
    const { info } = this;
    batch(() => {
      this.position.value = info.axes.map((a, i) => {
        const v = params[axisParam(a.name, i)];
        return clamp(v && /^\d+$/.test(v) ? Number(v) : (info.position[i] ?? 0), a.size);
      });
      const list = parseChannels(params.ch, this.channels.length);
      for (const c of this.channels) {
        const p = list.get(c.index);
        c.on.value = p ? p.on : c.file.active || this.channels.length === 1;
        c.chosen.value = p?.window ?? null;
        c.colour.value = p?.colour ?? c.usualColour;
        c.gamma.value = p?.gamma ?? 1;
        c.opacity.value = p?.opacity ?? 1;
      }
      this.map.value = params.map ?? "";
      this.grid.value = params.grid !== undefined;
      const l = parseLabels(params.labels);
      const index = l ? info.labels.findIndex((k) => k.name === l.name) : -1;
      this.labels.value = l && index >= 0 ? { index, opacity: l.opacity, edges: l.edges } : null;
      const [x, y, zoom] = [params.x, params.y, params.zoom].map((v) => (v ? Number(v) : NaN)) as [number, number, number];
      this.camera.value = Number.isFinite(x) && Number.isFinite(y) && zoom > 0 ? { x, y, zoom } : null;
    });
    this.#written = key(params);
  }

  /** Writes what differs from the usual into the address; the camera when it was moved. */
  writeParams(camera: { x: number; y: number; zoom: number } | null): void {
    const { info } = this;
    const patch: Record<string, string | undefined> = {};
    info.axes.forEach((a, i) => {
      if (!this.sliders.includes(i)) return;
      const v = this.position.peek()[i]!;
      patch[axisParam(a.name, i)] = v === clamp(info.position[i] ?? 0, a.size) ? undefined : String(v);
    });
    const list = new Map<number, ChannelParam>();
    for (const c of this.channels) {
      const usualOn = c.file.active || this.channels.length === 1;
      const p: ChannelParam = { on: c.on.peek(), gamma: c.gamma.peek(), opacity: c.opacity.peek() };
      const w = c.chosen.peek();
      if (w) p.window = w;
      if (c.colour.peek() !== c.usualColour) p.colour = c.colour.peek();
      if (p.on !== usualOn || w || p.colour || p.gamma !== 1 || p.opacity !== 1) list.set(c.index, p);
    }
    patch.ch = formatChannels(list) || undefined;
    patch.map = this.map.peek() || undefined;
    patch.grid = this.grid.peek() ? "1" : undefined;
    const l = this.labels.peek();
    patch.labels = formatLabels(l && { name: info.labels[l.index]!.name, opacity: l.opacity, edges: l.edges }) || undefined;
    if (camera) {
      const digits = Math.max(0, Math.min(3, Math.ceil(Math.log10(camera.zoom)) + 1));
      patch.x = camera.x.toFixed(digits);
      patch.y = camera.y.toFixed(digits);
      patch.zoom = String(Number(camera.zoom.toPrecision(5)));
    } else patch.x = patch.y = patch.zoom = undefined;
    const next: Record<string, string> = { ...route.peek().params };
    for (const [k, v] of Object.entries(patch)) {
      if (v) next[k] = v;
      else delete next[k];
    }
    this.#written = key(next);
    setParams(patch, { replace: true });
  }

  /** Follows the address when somebody else changes it: back, forward, a link. */
  follow(): () => void {
    return effect(() => {
      const r = route.value;
      if (r.source !== this.node.source || r.path !== this.node.path) return;
      if (key(r.params) !== this.#written) this.readParams(r.params);
    });
  }

  /** Asks for the statistics of what is in view, as long as it is. */
  count(): () => void {
    if (this.empty || this.info.rgb) return () => {};
    const first = atOf(this.info, this.info.axes.map((a, i) => clamp(this.info.position[i] ?? 0, a.size)));
    const waits = new Map<number, () => void>();
    const lanes = [Promise.resolve(), Promise.resolve()];
    const stop = effect(() => {
      const at = this.at.value;
      const paused = this.playing.value !== null;
      for (const c of this.channels) {
        waits.get(c.index)?.();
        waits.delete(c.index);
        if (!c.on.value || paused) continue;
        const abort = new AbortController();
        // While one drags along an axis nothing is asked for. At first the tiles go before, and two of these at once
        // leave them room; a channel whose window the file has can wait longer.
        const timer = setTimeout(() => {
          const lane = c.index & 1;
          lanes[lane] = lanes[lane]!.then(() => (abort.signal.aborted ? undefined : this.#ask(c, at, first, abort.signal)));
        }, c.stats.peek() ? 250 : c.file.window ? 150 : 0);
        waits.set(c.index, () => {
          clearTimeout(timer);
          abort.abort();
        });
      }
    });
    return () => {
      stop();
      for (const w of waits.values()) w();
    };
  }

  async #ask(c: ChannelModel, at: string, first: string, signal: AbortSignal): Promise<void> {
    try {
      const s = await api.stats(this.node, c.index, at, false, signal);
      batch(() => {
        c.stats.value = s;
        c.problem.value = null;
        if (at === first) c.auto.value = autoWindow(s);
      });
      if (!c.auto.peek() && at !== first) c.auto.value = autoWindow(await api.stats(this.node, c.index, first, false, signal)) ?? autoWindow(s);
    } catch (e) {
      if (!api.aborted(e)) c.problem.value = api.problemOf(e);
    }
  }

  autoContrast(only?: ChannelModel): void {
    batch(() => {
      for (const c of only ? [only] : this.channels) {
        const s = c.stats.peek();
        const w = s && autoWindow(s);
        if (w && c.on.peek()) c.chosen.value = w;
      }
    });
  }
}

function clamp(v: number, size: number): number {
  return Math.min(Math.max(0, Math.round(v)), Math.max(0, size - 1));
}

function key(params: Record<string, string>): string {
  return Object.keys(params).sort().map((k) => k + "=" + params[k]).join("&");
}

const models = new WeakMap<Node, ImageModel>();

/** The model of a node's image: the same for the view and the panel. */
export function modelOf(node: Node): ImageModel | null {
  if (!node.image) return null;
  let m = models.get(node);
  if (!m) {
    m = new ImageModel(node, node.image);
    models.set(node, m);
  }
  return m;
}

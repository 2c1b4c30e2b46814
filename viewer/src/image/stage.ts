// The stage: camera, tiles and renderer brought together, a frame at a time and only when something has changed.

import { effect, signal } from "../signals";
import * as api from "../api";
import type { Problem } from "../api";
import { bytes as sizeText, duration } from "../format";
import { type Gestures, listen, on, turned } from "../ui/gestures";
import { onScreen, reducedMotion, type StatusError, status, stopped } from "../state";
import { type Camera, clampCentre, clampZoom, fit, indexX, indexY, inSight, newCamera, panBy, zoomAt } from "./camera";
import { givenColours } from "./colours";
import { sampleWindow } from "./contrast";
import { Cursor } from "./cursor";
import { FlatRenderer } from "./flat";
import { GlRenderer } from "./gl";
import { Kept } from "./kept";
import { LabelLayer } from "./layer";
import type { ImageModel } from "./model";
import { Motion } from "./motion";
import { near, Overlay, type Points, under } from "./overlay";
import { distance, pixelAspect, pixelSize } from "./place";
import { chooseLevel } from "./pyramid";
import { type Job, Queue } from "./queue";
import type { Renderer } from "./renderer";
import { scaleBar } from "./scalebar";
import { Scene } from "./scene";
import { Seen } from "./seen";
import { atOf, type Plane, Pyramid, type Tile } from "./tiles";

export type Elements = { box: HTMLElement; canvas: HTMLCanvasElement; overlay: HTMLCanvasElement; bar: HTMLElement; barText: HTMLElement };

/** What the view says over the picture. */
export type Told = { drawn: boolean; waiting: boolean; failed: number; problem: Problem | null; renderer: string };

const uploadTime = 6; // milliseconds of a frame that may go into textures

export class Stage {
  readonly camera: Camera;
  readonly told = signal<Told>({ drawn: false, waiting: true, failed: 0, problem: null, renderer: "" });
  readonly points = signal<Points>([]);
  /** Null where nothing can be drawn this way. */
  renderer: Renderer | null = null;
  readonly #kept: Kept<Tile>;
  readonly #queue: Queue;
  readonly #image: Pyramid;
  readonly #overlay: Overlay;
  readonly #scene = new Scene();
  readonly #sight = new Float64Array(4);
  readonly #wide = new Float64Array(4);
  #layer: LabelLayer | null = null;
  #labelProblem: StatusError | null = null;
  readonly #fresh: Tile[] = [];
  #plane: Plane;
  #frameNumber = 1;
  #scheduled = 0;
  #dpr = 1;
  #moved = false; // by the user: the address gets the camera
  #begun = false;
  readonly #undo: (() => void)[] = [];
  readonly #motion = new Motion();
  // the cursor
  #cx = 0;
  #cy = 0;
  #hovering = false;
  #keyboard = false;
  #cursorDirty = false;
  readonly #cursor: Cursor;
  // work
  #wantTimer: ReturnType<typeof setTimeout> | undefined;
  #paramTimer: ReturnType<typeof setTimeout> | undefined;
  #playTimer: ReturnType<typeof setTimeout> | undefined;
  #lastMove = { axis: -1, by: 1 };
  #got = 0;
  #tookMs = 0;
  #barWords = "";
  #barPixels = -1;
  #workText = "";

  constructor(
    readonly model: ImageModel,
    private readonly el: Elements,
    flat: boolean,
    /** The graphics card has forgotten everything and is back: another stage begins anew. */
    again: () => void,
  ) {
    const { info, node } = model;
    const x = info.axes[info.x]!;
    const y = info.axes[info.y]!;
    this.camera = newCamera(x.size, y.size, pixelAspect(x, y, info.map), info.up);
    this.#kept = new Kept<Tile>(memory(), (t) => {
      this.renderer?.free(t);
      t.plane.remove(t);
    });
    this.#queue = new Queue(5, () => this.#publish());
    this.#image = new Pyramid(node, info, this.#ask, this.#kept, this.#fresh, this.#answered, api.problemOf, null);
    this.#plane = this.#image.plane(model.at.peek());
    this.#overlay = new Overlay(el.overlay);
    this.#cursor = new Cursor(model, () => {
      this.#cursorDirty = true;
      this.invalidate();
    });
    // First the requests, then the work that can be done while they are under way.
    this.#resize();
    this.#want();
    this.renderer = makeRenderer(el.canvas, flat);
    try {
      this.renderer?.warm(info.data_type, model.look.peek());
    } catch {
      this.renderer = null;
    }
    if (!this.renderer) return;
    this.#draw();
    const watch = new ResizeObserver(() => this.#resize());
    watch.observe(el.box);
    this.#undo.push(() => watch.disconnect(), this.#gestures(), this.#followSignals());
    this.#undo.push(on(el.canvas, { webglcontextlost: (e) => e.preventDefault(), webglcontextrestored: again }));
  }

  dispose(): void {
    for (const u of this.#undo) u();
    cancelAnimationFrame(this.#scheduled);
    for (const t of [this.#wantTimer, this.#paramTimer, this.#playTimer]) clearTimeout(t);
    if (this.#moved) this.#writeParams();
    this.#cursor.clear();
    this.#queue.stop();
    this.#kept.clear();
    this.renderer?.dispose();
    status.work.value = [];
    status.errors.value = [];
    onScreen.value = null;
  }

  // --- tiles ---

  readonly #ask = (node: api.At, q: api.TileQuery, signal: AbortSignal) => api.tile(node, q, signal);

  readonly #answered = (bytes: number, ms: number, p: Problem | null): void => {
    if (p) {
      // What is busy now is not so for long.
      if (p.kind === "busy") setTimeout(() => this.retry("busy"), 2000);
    } else {
      this.#got += bytes;
      this.#tookMs = this.#tookMs ? 0.8 * this.#tookMs + 0.2 * ms : ms;
    }
    this.invalidate();
  };

  /** Asks again for what failed, of one kind or all. */
  retry(kind?: string): void {
    for (const t of [...this.#kept]) if (t.problem && (!kind || t.problem.kind === kind)) this.#kept.delete(t);
    this.#lastWant = NaN;
    this.invalidate();
  }

  #takeFresh(): void {
    if (this.#fresh.length === 0) return;
    const end = performance.now() + uploadTime;
    let i = 0;
    while (i < this.#fresh.length && (i === 0 || performance.now() < end)) {
      const t = this.#fresh[i++]!;
      if (!this.#kept.has(t)) continue; // dropped meanwhile
      t.stamp = this.#frameNumber;
      this.renderer!.prepare(t);
      t.plane.pyramid.settle(t);
      const c = t.plane.pyramid === this.#image ? this.model.channels[t.channel] : undefined;
      if (c && !c.guess.peek() && t.data && !this.model.info.rgb) c.guess.value = sampleWindow(t.data);
    }
    this.#fresh.splice(0, i);
    if (this.#fresh.length > 0) this.invalidate();
    this.#cursorDirty = true;
    this.#kept.trim(this.#frameNumber);
  }

  /** Decides what to ask for. Soon, not at once: while one pans, the last word counts. */
  #scheduleWant(): void {
    if (this.#wantTimer !== undefined) return;
    this.#wantTimer = setTimeout(() => {
      this.#wantTimer = undefined;
      this.#want();
    }, 30);
  }

  #want(): void {
    const { model } = this;
    const image = this.#image;
    const jobs = new Map<string, Job>();
    const at = model.at.peek();
    const plane = image.plane(at);
    const shown = model.shown.peek();
    const level = this.#level();
    const coarsest = image.grids.length - 1;
    const s = inSight(this.camera, this.#sight);
    if (s[2]! > s[0]! && s[3]! > s[1]!) {
      image.want(jobs, plane, coarsest, s, shown, 0);
      if (level + 2 < coarsest) image.want(jobs, plane, level + 2, s, shown, 1);
      if (level < coarsest) image.want(jobs, plane, level, s, shown, 2);
      this.#layer?.want(jobs, model.position.peek(), s, this.#sharp());
      if (this.#kept.bytes < this.#kept.limit * 0.8) {
        const mx = (s[2]! - s[0]!) / 4;
        const my = (s[3]! - s[1]!) / 4;
        this.#wide[0] = s[0]! - mx;
        this.#wide[1] = s[1]! - my;
        this.#wide[2] = s[2]! + mx;
        this.#wide[3] = s[3]! + my;
        const next = this.#nextPlane();
        if (next) {
          image.want(jobs, next, coarsest, s, shown, 4);
          if (level < coarsest) image.want(jobs, next, level, s, shown, 5);
        }
        image.want(jobs, plane, level, this.#wide, shown, 6);
      }
    }
    this.#queue.want(jobs);
    this.#publish();
  }

  /** The plane one step on, along the axis that moved last. */
  #nextPlane(): Plane | null {
    const { model } = this;
    const play = model.playing.peek();
    const axis = play ? play.axis : this.#lastMove.axis;
    if (axis < 0) return null;
    const size = model.info.axes[axis]!.size;
    const now = model.position.peek()[axis]!;
    const to = play ? (now + 1) % size : now + this.#lastMove.by;
    if (to < 0 || to >= size) return null;
    return this.#image.plane(atOf(model.info, model.position.peek().map((v, i) => (i === axis ? to : v))));
  }

  #level(): number {
    return chooseLevel(this.#image.grids, this.#sharp());
  }

  /** Device pixels per index. */
  #sharp(): number {
    return this.camera.zoom * this.#dpr;
  }

  // --- labels ---

  async #loadLabels(index: number): Promise<void> {
    const { node, info } = this.model;
    const l = info.labels[index]!;
    this.#labelProblem = null;
    try {
      const n = await api.node({ source: node.source, path: l.path });
      if (this.model.labels.peek()?.index !== index) return;
      if (!n.image) throw new Error(`${l.name} is not an image of labels`);
      const at = { source: node.source, path: l.path };
      this.#layer = new LabelLayer(info, new Pyramid(at, n.image, this.#ask, this.#kept, this.#fresh, this.#answered, api.problemOf, givenColours(l.colors)));
      this.invalidate();
      this.#scheduleWant();
    } catch (e) {
      this.#labelProblem = { problem: api.problemOf(e), retry: () => void this.#loadLabels(index) };
      this.#tellErrors();
    }
  }

  // --- frames ---

  invalidate(): void {
    if (this.#scheduled === 0) this.#scheduled = requestAnimationFrame(this.#frame);
  }

  readonly #frame = (now: number): void => {
    this.#scheduled = 0;
    if (this.#motion.step(this.camera, now)) this.#touched();
    this.#draw();
  };

  #draw(): void {
    const r = this.renderer;
    if (!r) return;
    this.#frameNumber++;
    const { model, camera } = this;
    const scene = this.#scene;
    const image = this.#image;
    this.#takeFresh();
    const shown = model.shown.peek();
    const look = model.look.peek();
    const level = this.#level();
    const s = inSight(camera, this.#sight);
    const plane = image.plane(model.at.peek());
    scene.fill(plane, level, s, shown, this.#frameNumber, true);
    // Until something has come for everything in sight, what was shown before stays.
    let here = plane === this.#plane;
    if (!here && (scene.covered || scene.failed.length > 0)) {
      this.#plane = plane;
      here = true;
    }
    const { complete, tilesInSight } = scene;
    if (!here) scene.fill(this.#plane, level, s, shown, this.#frameNumber, true);
    scene.project(camera);
    r.begin(camera.width, camera.height, this.#dpr);
    const texel = camera.zoom * this.#dpr * image.grids[level]!.scaleX;
    r.image(scene, look, level === 0 ? texel >= 2 || Math.abs(texel - 1) < 1e-6 : Math.abs(texel - 1) < 1e-6);
    const labels = model.labels.peek();
    if (labels) this.#layer?.draw(r, camera, model.position.peek(), s, this.#sharp(), this.#frameNumber, labels.opacity, labels.edges);
    if (r.end()) this.invalidate();
    this.#drawOver(scene);
    this.#drawBar();
    if (this.#cursorDirty) this.#tellCursor(level);
    const key = wantKey(camera, level);
    if (key !== this.#lastWant || !complete) {
      this.#lastWant = key;
      this.#scheduleWant();
    }
    this.#sightTiles = tilesInSight;
    const told = this.told.peek();
    if (told.drawn !== scene.count > 0 || told.failed !== scene.failed.length || told.waiting === complete) this.#publish();
    if (complete && here) this.#framed();
  }
  #lastWant = 0;
  #sightTiles = 0;

  #drawOver(scene: Scene): void {
    const { model, camera } = this;
    const overlay = this.#overlay;
    const points = this.points.peek();
    const gridded = model.grid.peek();
    const cross = this.#keyboard;
    overlay.begin(camera, this.#dpr, gridded || scene.failed.length > 0 || points.length > 0 || cross);
    for (const t of scene.failed) overlay.failed(camera, t);
    if (gridded) this.#drawGrid();
    if (points.length > 0) overlay.measure(camera, points, this.distanceWords());
    if (cross) overlay.cross(camera);
  }

  #drawGrid(): void {
    const { info } = this.model;
    const l = info.levels[this.#level()]!;
    const g = this.#image.grids[this.#level()]!;
    const step = (sizes: number[], axis: number, scale: number) => sizes[axis]! * scale;
    const seen = this.#overlay.grid(this.camera, step(l.chunks, info.x, g.scaleX), step(l.chunks, info.y, g.scaleY), "#ffffff59", 1);
    if (l.shards) this.#overlay.grid(this.camera, step(l.shards, info.x, g.scaleX), step(l.shards, info.y, g.scaleY), seen ? "#ffd166d9" : "#ffd16699", 2);
  }

  /** The words for the measured distance. */
  distanceWords(): string {
    const p = this.points.peek();
    if (p.length < 2) return "";
    const { info } = this.model;
    return distance(info.axes[info.x]!, info.axes[info.y]!, info.map, p[0]!.x, p[0]!.y, p[1]!.x, p[1]!.y);
  }

  #drawBar(): void {
    const { info } = this.model;
    const c = this.camera;
    const size = pixelSize(info.axes[info.x]!, info.axes[info.y]!, info.map, c.y);
    const bar = scaleBar(size.x / c.zoom, size.unit, Math.min(140, c.width / 3));
    const pixels = Math.round(bar.pixels * 10) / 10;
    if (pixels !== this.#barPixels) {
      this.#barPixels = pixels;
      this.el.bar.style.width = pixels + "px";
    }
    if (bar.text !== this.#barWords) {
      this.#barWords = bar.text;
      this.el.barText.textContent = bar.text;
    }
  }

  #resize(): void {
    const r = this.el.box.getBoundingClientRect();
    if (r.width < 1 || r.height < 1) return;
    const c = this.camera;
    // Text over the picture stays sharp on any screen; more than 2 device pixels are not seen.
    this.#dpr = Math.min(2, globalThis.devicePixelRatio || 1);
    c.width = r.width;
    c.height = r.height;
    if (!this.#begun) {
      this.#begun = true;
      this.#place();
    } else if (!this.#moved) this.#fitNow();
    else clampCentre(c);
    // At once, so that a resized canvas is never seen empty.
    cancelAnimationFrame(this.#scheduled);
    this.#scheduled = 0;
    this.#draw();
  }

  #place(): void {
    const want = this.model.camera.peek();
    const c = this.camera;
    if (!want) {
      this.#fitNow();
      return;
    }
    c.zoom = clampZoom(c, want.zoom);
    c.x = want.x;
    c.y = want.y;
    clampCentre(c);
    this.#moved = true;
  }

  #fitNow(): void {
    fit(this.camera, Math.min(24, this.camera.width * 0.03));
    this.#moved = false;
  }

  // --- moving ---

  /** The camera was moved by somebody. */
  #touched(): void {
    this.#moved = true;
    this.#cursorDirty = this.#hovering || this.#keyboard;
    this.invalidate();
    this.#writeSoon();
  }

  #writeSoon(): void {
    if (this.#paramTimer !== undefined) return;
    this.#paramTimer = setTimeout(() => this.#writeParams(), 250);
  }

  #writeParams(): void {
    clearTimeout(this.#paramTimer);
    this.#paramTimer = undefined;
    this.model.writeParams(this.#moved ? this.camera : null);
    this.#tellScreen();
  }

  zoom(factor: number, sx = this.camera.width / 2, sy = this.camera.height / 2, animated = true): void {
    if (animated && !reducedMotion.peek()) this.#motion.zoom(this.camera, factor, sx, sy);
    else zoomAt(this.camera, factor, sx, sy);
    this.#touched();
  }

  pan(dx: number, dy: number): void {
    panBy(this.camera, dx, dy);
    this.#touched();
  }

  fit(): void {
    this.#motion.stop();
    this.#fitNow();
    this.#cursorDirty = this.#hovering || this.#keyboard;
    this.invalidate();
    this.#writeSoon();
  }

  /** One pixel of the finest level on one of the screen. */
  actual(): void {
    this.zoom(1 / this.#dpr / this.camera.zoom);
  }

  goTo(positions: (number | null)[]): void {
    const { info } = this.model;
    const c = this.camera;
    const [x, y] = [positions[info.x], positions[info.y]];
    positions.forEach((p, i) => {
      if (p !== null && i !== info.x && i !== info.y && i !== info.channel) this.model.setPosition(i, p);
    });
    if (typeof x === "number") c.x = x + 0.5;
    if (typeof y === "number") c.y = y + 0.5;
    if (typeof x === "number" || typeof y === "number") {
      this.#motion.stop();
      c.zoom = Math.max(c.zoom, Math.min(4, 16 * c.zoom));
      clampCentre(c);
      this.#touched();
    }
  }

  #gestures(): () => void {
    const { box } = this.el;
    const gestures: Gestures = {
      press: () => {
        this.#motion.stop();
        this.#keyboard = false;
      },
      pan: (dx, dy) => this.pan(dx, dy),
      pinch: (f, x, y) => this.zoom(f, x, y, false),
      // Pinching on a touchpad comes as a wheel with Ctrl and small steps.
      wheel: (e, x, y) => this.zoom(Math.exp(-Math.max(-240, Math.min(240, turned(e).dy)) * (e.ctrlKey ? 0.01 : 0.0016)), x, y, false),
      flick: (vx, vy) => {
        if (reducedMotion.peek() || Math.hypot(vx, vy) < 0.15) return;
        this.#motion.flick(vx, vy);
        this.invalidate();
      },
      hover: (x, y, inside) => {
        this.#cx = x;
        this.#cy = y;
        this.#hovering = inside;
        if (inside) {
          this.#cursorDirty = true;
          this.invalidate();
        } else this.#cursor.clear();
      },
      tap: (x, y) => {
        if (this.model.measuring.peek()) this.addPoint(x, y);
      },
      twice: (x, y, shift) => {
        if (this.model.measuring.peek()) return false;
        this.zoom(shift ? 0.5 : 2, x, y);
        return true;
      },
      grab: (x, y) => {
        const i = this.model.measuring.peek() ? near(this.camera, this.points.peek(), x, y) : -1;
        if (i < 0) return null;
        return (sx, sy) => {
          this.points.value = this.points.peek().map((p, k) => (k === i ? under(this.camera, sx, sy) : p));
        };
      },
    };
    const offs = [
      listen(box, () => gestures),
      on(box, {
        focus: () => {
          this.#keyboard = box.matches(":focus-visible");
          this.#cursorDirty = this.#keyboard;
          this.invalidate();
        },
        blur: () => {
          this.#keyboard = false;
          this.#cursor.clear();
          this.invalidate();
        },
      }),
    ];
    return () => offs.forEach((off) => off());
  }

  /** Sets the next of the two points; the third begins anew. */
  addPoint(sx = this.camera.width / 2, sy = this.camera.height / 2): void {
    const p = this.points.peek();
    this.points.value = p.length === 1 ? [p[0]!, under(this.camera, sx, sy)] : [under(this.camera, sx, sy)];
  }

  #followSignals(): () => void {
    const { model } = this;
    const stops = [
      effect(() => {
        model.look.value;
        model.grid.value;
        this.points.value;
        this.invalidate();
      }),
      effect(() => {
        model.shown.value;
        this.#lastWant = NaN;
        this.#scheduleWant();
      }),
      effect(() => {
        if (!model.measuring.value) this.points.value = [];
      }),
      this.#followPosition(),
      effect(() => {
        const l = model.labels.value;
        if (!l) this.#layer = null;
        else if (this.#layer?.pyramid.node.path !== model.info.labels[l.index]!.path) {
          this.#layer = null;
          void this.#loadLabels(l.index);
        }
        this.#cursorDirty = true;
        this.invalidate();
      }),
      effect(() => {
        const c = model.camera.value;
        if (!this.#begun) return;
        if (c && (Math.abs(c.x - this.camera.x) > 1e-3 || Math.abs(c.y - this.camera.y) > 1e-3 || c.zoom !== this.camera.zoom)) this.#place();
        else if (!c && this.#moved) this.#fitNow();
        this.invalidate();
      }),
      effect(() => {
        if (!stopped.value) this.retry("stopped");
      }),
      this.#followParams(),
      this.#followPlay(),
    ];
    return () => {
      for (const s of stops) s();
    };
  }

  #followPosition(): () => void {
    let before = this.model.position.peek();
    return effect(() => {
      const now = this.model.position.value;
      now.forEach((v, i) => {
        if (v !== before[i]) this.#lastMove = { axis: i, by: v > before[i]! ? 1 : -1 };
      });
      before = now;
      this.#cursorDirty = this.#hovering || this.#keyboard;
      this.invalidate();
      this.#scheduleWant();
    });
  }

  #followParams(): () => void {
    let first = true;
    return effect(() => {
      const { model } = this;
      model.position.value;
      model.map.value;
      model.grid.value;
      model.labels.value;
      for (const c of model.channels) {
        c.on.value;
        c.chosen.value;
        c.colour.value;
        c.gamma.value;
        c.opacity.value;
      }
      if (!first) this.#writeSoon();
      first = false;
    });
  }

  // --- play ---

  #playFrom = 0;

  #followPlay(): () => void {
    return effect(() => {
      const p = this.model.playing.value;
      clearTimeout(this.#playTimer);
      this.#playTimer = undefined;
      if (!p) return;
      this.#playFrom = performance.now();
      this.#lastWant = NaN;
      this.invalidate();
    });
  }

  /** A whole frame is on screen: when its time is over the next one comes. Playing waits for data, the page does not. */
  #framed(): void {
    const p = this.model.playing.peek();
    if (!p || this.#playTimer !== undefined) return;
    const wait = Math.max(0, this.#playFrom + 1000 / p.fps - performance.now());
    this.#playTimer = setTimeout(() => {
      this.#playTimer = undefined;
      const now = this.model.playing.peek();
      if (!now) return;
      this.#playFrom = performance.now();
      const size = this.model.info.axes[now.axis]!.size;
      this.model.setPosition(now.axis, (this.model.position.peek()[now.axis]! + 1) % size);
    }, wait);
  }

  // --- words ---

  #tellCursor(level: number): void {
    this.#cursorDirty = false;
    if (!this.#hovering && !this.#keyboard) return;
    const c = this.camera;
    const x = indexX(c, this.#hovering ? this.#cx : c.width / 2);
    const y = indexY(c, this.#hovering ? this.#cy : c.height / 2);
    this.#cursor.tell(x, y, this.#plane, this.#layer, new Seen(this.model, level));
  }

  #tellScreen(): void {
    new Seen(this.model, this.#level()).tell(inSight(this.camera, this.#sight));
  }

  /** Tells the page what is going on, when that has changed. */
  #publish(): void {
    const { model } = this;
    const scene = this.#scene;
    const waiting = this.#queue.pending > 0 || this.#wantTimer !== undefined || this.#fresh.length > 0;
    const failed = scene.failed.length;
    const problem = scene.failed[0]?.problem ?? null;
    const old = this.told.peek();
    const next: Told = { drawn: scene.count > 0, waiting, failed, problem, renderer: this.renderer?.name ?? "" };
    if (old.drawn !== next.drawn || old.waiting !== waiting || old.failed !== failed || old.problem !== problem) {
      this.told.value = next;
      this.#tellErrors();
    }
    const levels = model.info.levels.length;
    const words = [levels > 1 ? `level ${this.#level()} of ${levels}` : "", `${this.#sightTiles} ${this.#sightTiles === 1 ? "tile" : "tiles"}`, this.#tookMs ? duration(this.#tookMs / 1000) : "", this.#got ? sizeText(this.#got) : "", waiting ? "loading" : "", this.renderer?.name === "WebGL 2" ? "" : "without WebGL"].filter(Boolean);
    const text = words.join(" · ");
    if (text !== this.#workText) {
      this.#workText = text;
      status.work.value = [{ value: text }];
    }
    this.#tellScreen();
    if (waiting) this.#publishSoon();
  }

  #tellErrors(): void {
    const { failed, problem } = this.told.peek();
    const errors: StatusError[] = [];
    if (problem) errors.push({ problem: failed > 1 ? { ...problem, error: `${failed} tiles: ${problem.error}` } : problem, retry: () => this.retry() });
    if (this.#labelProblem) errors.push(this.#labelProblem);
    if (errors.length > 0 || status.errors.peek().length > 0) status.errors.value = errors;
  }

  #publishTimer: ReturnType<typeof setTimeout> | undefined;
  #publishSoon(): void {
    if (this.#publishTimer !== undefined) return;
    this.#publishTimer = setTimeout(() => {
      this.#publishTimer = undefined;
      this.#publish();
    }, 200);
    this.#undo.push(() => clearTimeout(this.#publishTimer));
  }

  // --- a picture to keep ---

  /** The view as PNG, with its grid, its distance and its scale bar. */
  async picture(background: string): Promise<Blob> {
    this.#draw();
    const { canvas, overlay } = this.el;
    const out = document.createElement("canvas");
    out.width = canvas.width;
    out.height = canvas.height;
    const c = out.getContext("2d")!;
    c.fillStyle = background;
    c.fillRect(0, 0, out.width, out.height);
    c.drawImage(canvas, 0, 0);
    if (overlay.width === out.width) c.drawImage(overlay, 0, 0);
    c.scale(this.#dpr, this.#dpr);
    const y = this.camera.height - 20;
    c.shadowColor = "#000";
    c.shadowBlur = 3;
    c.fillStyle = "#fff";
    c.fillRect(18, y, this.#barPixels, 3);
    c.font = "12px ui-monospace, Menlo, Consolas, monospace";
    c.textAlign = "center";
    c.fillText(this.#barWords, 18 + this.#barPixels / 2, y - 7);
    return new Promise((done, fail) => out.toBlob((b) => (b ? done(b) : fail(new Error("the browser made no picture"))), "image/png"));
  }
}

/** Changes when other tiles come into sight or another level counts; a number, as it is made in every frame. */
function wantKey(c: Camera, level: number): number {
  const k = 64 / c.zoom;
  return level + 32 * (Math.floor(c.x / k) + 4096 * Math.floor(c.y / k)) + Math.fround(c.zoom) * 1e-3;
}

function makeRenderer(canvas: HTMLCanvasElement, flat: boolean): Renderer | null {
  return (flat ? null : GlRenderer.create(canvas)) ?? FlatRenderer.create(canvas);
}

/** Bytes of tiles that are kept: less on devices that have little. */
function memory(): number {
  const gib = (navigator as { deviceMemory?: number }).deviceMemory ?? 4;
  return Math.min(256, Math.max(96, gib * 48)) * 2 ** 20;
}

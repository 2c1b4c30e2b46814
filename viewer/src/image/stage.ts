// The stage: camera, tiles and renderer brought together, a frame at a time and only when something has changed.

import { effect, signal } from "@preact/signals";
import * as api from "../api";
import type { Problem } from "../api";
import { bytes as sizeText, duration, value as numberText } from "../format";
import { cursorIndex, onScreen, reducedMotion, type Status, type StatusError, status, stopped } from "../state";
import { type Camera, clampCentre, clampZoom, fit, indexX, indexY, inSight, newCamera, panBy, zoomAt } from "./camera";
import { givenColours } from "./colours";
import { sampleWindow } from "./contrast";
import { FlatRenderer } from "./flat";
import { GlRenderer } from "./gl";
import { listen } from "./input";
import { Kept } from "./kept";
import type { ImageModel } from "./model";
import { near, Overlay, type Points, under } from "./overlay";
import { distance, pixelAspect, pixelSize, placeText } from "./place";
import { chooseLevel, levelIndex } from "./pyramid";
import { type Job, Queue } from "./queue";
import type { Renderer } from "./renderer";
import { scaleBar } from "./scalebar";
import { Scene } from "./scene";
import { atOf, type Plane, placement, positionsIn, Pyramid, type Tile, values } from "./tiles";

export type Elements = { box: HTMLElement; canvas: HTMLCanvasElement; overlay: HTMLCanvasElement; bar: HTMLElement; barText: HTMLElement };

/** What the view says over the picture. */
export type Told = { drawn: boolean; waiting: boolean; failed: number; problem: Problem | null; renderer: string };

type LabelLayer = { pyramid: Pyramid; place: ReturnType<typeof placement> };

const uploadTime = 6; // milliseconds of a frame that may go into textures

export class Stage {
  readonly camera: Camera;
  readonly told = signal<Told>({ drawn: false, waiting: true, failed: 0, problem: null, renderer: "" });
  readonly points = signal<Points>([]);
  /** Null where nothing can be drawn this way. */
  renderer: Renderer | null;
  readonly #kept: Kept<Tile>;
  readonly #queue: Queue;
  readonly #image: Pyramid;
  readonly #overlay: Overlay;
  readonly #scene = new Scene();
  readonly #labelScene = new Scene();
  readonly #sight = new Float64Array(4);
  readonly #labelSight = new Float64Array(4);
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
  // what still moves
  #vx = 0;
  #vy = 0;
  #lastFrame = 0;
  #zoomTo = 0;
  #zoomX = 0;
  #zoomY = 0;
  // the cursor
  #cx = 0;
  #cy = 0;
  #hovering = false;
  #keyboard = false;
  #cursorDirty = false;
  #exactKey = "";
  #exact: { key: string; values: number[]; label: number | null } | null = null;
  #exactAbort: AbortController | null = null;
  #exactTimer: ReturnType<typeof setTimeout> | undefined;
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
    this.renderer = makeRenderer(el.canvas, flat);
    this.#kept = new Kept<Tile>(memory(), (t) => {
      this.renderer?.free(t);
      t.plane.remove(t);
    });
    this.#queue = new Queue(5, () => this.#publish());
    this.#image = new Pyramid(node, info, this.#ask, this.#kept, this.#fresh, this.#answered, api.problemOf, null);
    this.#plane = this.#image.plane(model.at.peek());
    this.#overlay = new Overlay(el.overlay);
    if (!this.renderer) return;
    this.#resize();
    // First the requests, then the work that can be done while they are under way.
    this.#want();
    try {
      this.renderer.warm(info.data_type, model.look.peek());
    } catch {
      this.renderer = null;
      return;
    }
    const watch = new ResizeObserver(() => this.#resize());
    watch.observe(el.box);
    this.#undo.push(() => watch.disconnect(), this.#gestures(), this.#followSignals());
    const lost = (e: Event) => e.preventDefault();
    el.canvas.addEventListener("webglcontextlost", lost);
    el.canvas.addEventListener("webglcontextrestored", again);
    this.#undo.push(() => {
      el.canvas.removeEventListener("webglcontextlost", lost);
      el.canvas.removeEventListener("webglcontextrestored", again);
    });
  }

  dispose(): void {
    for (const u of this.#undo) u();
    cancelAnimationFrame(this.#scheduled);
    for (const t of [this.#wantTimer, this.#paramTimer, this.#playTimer, this.#exactTimer]) clearTimeout(t);
    if (this.#moved) this.#writeParams();
    this.#exactAbort?.abort();
    this.#queue.stop();
    this.#kept.clear();
    this.renderer?.dispose();
    status.cursor.value = [];
    status.work.value = [];
    status.errors.value = [];
    cursorIndex.value = null;
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
      this.#wantLabels(jobs, s);
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

  #wantLabels(jobs: Map<string, Job>, s: Float64Array): void {
    const l = this.#layer;
    if (!l) return;
    const p = this.#labelPlane(l);
    this.#toLabels(l, s);
    const level = this.#labelLevel(l);
    l.pyramid.want(jobs, p, l.pyramid.grids.length - 1, this.#labelSight, [0], 1.5);
    l.pyramid.want(jobs, p, level, this.#labelSight, [0], 3);
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
    return chooseLevel(this.#image.grids, this.camera.zoom, this.#dpr);
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
      this.#layer = { pyramid: new Pyramid(at, n.image, this.#ask, this.#kept, this.#fresh, this.#answered, api.problemOf, givenColours(l.colors)), place: placement(info, n.image) };
      this.#exact = null;
      this.invalidate();
      this.#scheduleWant();
    } catch (e) {
      this.#labelProblem = { problem: api.problemOf(e), retry: () => void this.#loadLabels(index) };
      this.#tellErrors();
    }
  }

  #labelPlane(l: LabelLayer): Plane {
    const { info, position } = this.model;
    return l.pyramid.plane(atOf(l.pyramid.info, positionsIn(info, position.peek(), l.pyramid.info)));
  }

  #toLabels(l: LabelLayer, s: Float64Array): void {
    const [fx, dx] = l.place.x;
    const [fy, dy] = l.place.y;
    const { sizeX, sizeY } = { sizeX: l.pyramid.grids[0]!.width, sizeY: l.pyramid.grids[0]!.height };
    this.#labelSight[0] = Math.max(0, s[0]! * fx + dx);
    this.#labelSight[1] = Math.max(0, s[1]! * fy + dy);
    this.#labelSight[2] = Math.min(sizeX, s[2]! * fx + dx);
    this.#labelSight[3] = Math.min(sizeY, s[3]! * fy + dy);
  }

  #labelLevel(l: LabelLayer): number {
    return chooseLevel(l.pyramid.grids, this.camera.zoom / l.place.x[0], this.#dpr);
  }

  // --- frames ---

  invalidate(): void {
    if (this.#scheduled === 0) this.#scheduled = requestAnimationFrame(this.#frame);
  }

  readonly #frame = (now: number): void => {
    this.#scheduled = 0;
    this.#step(now);
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
    this.#drawLabels(r, s);
    if (r.end()) this.invalidate();
    this.#drawOver(scene);
    this.#drawBar();
    if (this.#cursorDirty) this.#tellCursor();
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

  #drawLabels(r: Renderer, s: Float64Array): void {
    const l = this.#layer;
    const shown = this.model.labels.peek();
    if (!l || !shown) return;
    this.#toLabels(l, s);
    this.#labelScene.fill(this.#labelPlane(l), this.#labelLevel(l), this.#labelSight, only0, this.#frameNumber, false);
    this.#labelScene.project(this.camera, l.place.x[0], l.place.x[1], l.place.y[0], l.place.y[1]);
    r.labels(this.#labelScene, shown.opacity, shown.edges);
  }

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

  #step(now: number): void {
    const dt = Math.min(50, Math.max(1, now - this.#lastFrame));
    this.#lastFrame = now;
    if (this.#zoomTo > 0) {
      const c = this.camera;
      const left = this.#zoomTo / c.zoom;
      const f = left ** (1 - Math.exp(-dt / 55));
      if (Math.abs(Math.log(left)) < 0.004) {
        zoomAt(c, left, this.#zoomX, this.#zoomY);
        this.#zoomTo = 0;
      } else zoomAt(c, f, this.#zoomX, this.#zoomY);
      this.#touched();
    }
    if (this.#vx !== 0 || this.#vy !== 0) {
      panBy(this.camera, this.#vx * dt, this.#vy * dt);
      const slow = Math.exp(-dt / 180);
      this.#vx *= slow;
      this.#vy *= slow;
      if (Math.hypot(this.#vx, this.#vy) < 0.02) this.#vx = this.#vy = 0;
      this.#touched();
    }
  }

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

  stop(): void {
    this.#vx = this.#vy = 0;
    this.#zoomTo = 0;
  }

  zoom(factor: number, sx = this.camera.width / 2, sy = this.camera.height / 2, animated = true): void {
    if (animated && !reducedMotion.peek()) {
      this.#zoomTo = clampZoom(this.camera, (this.#zoomTo || this.camera.zoom) * factor);
      this.#zoomX = sx;
      this.#zoomY = sy;
      this.#lastFrame = performance.now();
    } else zoomAt(this.camera, factor, sx, sy);
    this.#touched();
  }

  pan(dx: number, dy: number): void {
    panBy(this.camera, dx, dy);
    this.#touched();
  }

  fit(): void {
    this.stop();
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
      this.stop();
      c.zoom = Math.max(c.zoom, Math.min(4, 16 * c.zoom));
      clampCentre(c);
      this.#touched();
    }
  }

  #gestures(): () => void {
    const { el } = this;
    const focus = () => {
      this.#keyboard = el.box.matches(":focus-visible");
      this.#cursorDirty = this.#keyboard;
      this.invalidate();
    };
    const blur = () => {
      this.#keyboard = false;
      this.#clearCursor();
      this.invalidate();
    };
    el.box.addEventListener("focus", focus);
    el.box.addEventListener("blur", blur);
    const off = listen(el.box, {
      press: () => {
        this.stop();
        this.#keyboard = false;
      },
      pan: (dx, dy) => this.pan(dx, dy),
      zoom: (f, x, y, animated) => this.zoom(f, x, y, animated),
      flick: (vx, vy) => {
        if (reducedMotion.peek() || Math.hypot(vx, vy) < 0.15) return;
        this.#vx = vx;
        this.#vy = vy;
        this.#lastFrame = performance.now();
        this.invalidate();
      },
      hover: (x, y, inside) => {
        this.#cx = x;
        this.#cy = y;
        this.#hovering = inside;
        if (inside) {
          this.#cursorDirty = true;
          this.invalidate();
        } else this.#clearCursor();
      },
      tap: (x, y) => {
        if (this.model.measuring.peek()) this.addPoint(x, y);
      },
      doubleTap: () => !this.model.measuring.peek(),
      grab: (x, y) => {
        const i = this.model.measuring.peek() ? near(this.camera, this.points.peek(), x, y) : -1;
        if (i < 0) return null;
        return (sx, sy) => {
          this.points.value = this.points.peek().map((p, k) => (k === i ? under(this.camera, sx, sy) : p));
        };
      },
    });
    return () => {
      el.box.removeEventListener("focus", focus);
      el.box.removeEventListener("blur", blur);
      off();
    };
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

  #clearCursor(): void {
    clearTimeout(this.#exactTimer);
    this.#exactAbort?.abort();
    if (status.cursor.peek().length > 0) status.cursor.value = [];
    if (cursorIndex.peek()) cursorIndex.value = null;
  }

  #tellCursor(): void {
    this.#cursorDirty = false;
    if (!this.#hovering && !this.#keyboard) return;
    const { model, camera } = this;
    const { info } = model;
    const sx = this.#hovering ? this.#cx : camera.width / 2;
    const sy = this.#hovering ? this.#cy : camera.height / 2;
    const x = indexX(camera, sx);
    const y = indexY(camera, sy);
    const col = Math.floor(x);
    const row = Math.floor(y);
    if (col < 0 || row < 0 || col >= camera.sizeX || row >= camera.sizeY) {
      this.#clearCursor();
      return;
    }
    const words: Status[] = placeText(info.axes[info.x]!, info.axes[info.y]!, info.map, col + (info.map ? 0.5 : 0), row + (info.map ? 0.5 : 0));
    const position = model.position.peek();
    const index = info.axes.map((_, i) => (i === info.x ? col : i === info.y ? row : i === info.channel ? ":" : position[i]));
    words.push({ value: `[${index.join(", ")}]` });
    const key = `${model.at.peek()} ${col} ${row} ${model.labels.peek()?.index ?? ""}`;
    const exact = this.#exact?.key === key ? this.#exact : null;
    const shown = model.shown.peek();
    for (const c of model.channels) {
      if (exact) {
        if (exact.values[c.index] !== undefined) words.push({ label: this.#channelName(c.index), value: valueText(exact.values[c.index]!) });
        continue;
      }
      if (!shown.includes(c.index)) continue;
      const t = this.#plane.finest(0, x, y, c.index);
      if (!t?.data) continue;
      const tx = Math.min(t.width - 1, Math.floor(x / t.grid.scaleX) - t.tx * t.grid.tileX);
      const ty = Math.min(t.height - 1, Math.floor(y / t.grid.scaleY) - t.ty * t.grid.tileY);
      words.push({ label: this.#channelName(c.index), value: (t.grid.level > 0 ? "≈ " : "") + valueText(t.data[ty * t.width + tx]!) });
    }
    if (exact && exact.label !== null) words.push({ label: info.labels[model.labels.peek()!.index]!.name, value: exact.label === 0 ? "none" : String(exact.label) });
    status.cursor.value = words;
    this.#tellIndex(col, row);
    if (!exact && key !== this.#exactKey) this.#askExact(key, col, row);
  }

  #channelName(i: number): string {
    const { channels, info } = this.model;
    if (info.rgb) return ["R", "G", "B", "A"][i] ?? "";
    return channels.length === 1 ? (info.channels[0]?.label || "value") : channels[i]!.label;
  }

  #tellIndex(col: number, row: number): void {
    const { info, position } = this.model;
    const on = this.#screenLevel();
    const l = info.levels[on]!;
    const scaled = (i: number, v: number) => levelIndex(v, on === 0 ? 1 : (l.scale[i] ?? 1), l.shape[i] ?? 1);
    cursorIndex.value = info.axes.map((_, i) => scaled(i, i === info.x ? col : i === info.y ? row : i === info.channel ? (this.model.shown.peek()[0] ?? 0) : position.peek()[i]!));
  }

  /** Where the cursor rests, the true values of all channels are asked for. */
  #askExact(key: string, col: number, row: number): void {
    this.#exactKey = key;
    clearTimeout(this.#exactTimer);
    this.#exactAbort?.abort();
    const { model } = this;
    if (model.playing.peek()) return;
    this.#exactTimer = setTimeout(async () => {
      const abort = (this.#exactAbort = new AbortController());
      const { info, node } = model;
      try {
        const q: api.TileQuery = { level: 0, x: [col, col + 1], y: [row, row + 1], at: model.at.peek() };
        if (info.channel >= 0) q.channels = model.channels.slice(0, 16).map((c) => c.index);
        const t = await api.tile(node, q, abort.signal);
        const label = await this.#askLabel(col, row, abort.signal);
        this.#exact = { key, values: Array.from(values(t.dataType, t.bytes)), label };
        this.#cursorDirty = true;
        this.invalidate();
      } catch {
        // The tile itself tells what is wrong here.
      } finally {
        if (this.#exactKey === key) this.#exactKey = "";
      }
    }, 90);
  }

  async #askLabel(col: number, row: number, signal: AbortSignal): Promise<number | null> {
    const l = this.#layer;
    if (!l) return null;
    const x = Math.floor((col + 0.5) * l.place.x[0] + l.place.x[1]);
    const y = Math.floor((row + 0.5) * l.place.y[0] + l.place.y[1]);
    const g = l.pyramid.grids[0]!;
    if (x < 0 || y < 0 || x >= g.width || y >= g.height) return null;
    const q: api.TileQuery = { level: 0, x: [x, x + 1], y: [y, y + 1], at: this.#labelPlane(l).at, labels: true };
    if (l.pyramid.info.channel >= 0) q.channels = [0];
    const t = await api.tile(l.pyramid.node, q, signal);
    return values(t.dataType, t.bytes)[0] ?? null;
  }

  /** The level that "View in" reads: the one in view, the finest where levels are made on the fly. */
  #screenLevel(): number {
    const l = this.#level();
    return this.model.info.levels[l]!.made ? 0 : l;
  }

  #tellScreen(): void {
    const { info, position } = this.model;
    const on = this.#screenLevel();
    const l = info.levels[on]!;
    const s = inSight(this.camera, this.#sight);
    const span = (from: number, to: number, axis: number) => {
      const k = on === 0 ? 1 : (l.scale[axis] ?? 1);
      const a = Math.max(0, Math.floor(from / k));
      const b = Math.min(l.shape[axis]!, Math.ceil(to / k));
      return a === 0 && b === l.shape[axis] ? ":" : `${a}:${b}`;
    };
    const shown = this.model.shown.peek();
    const slice = info.axes.map((_, i) => {
      if (i === info.x) return span(s[0]!, s[2]!, i);
      if (i === info.y) return span(s[1]!, s[3]!, i);
      if (i === info.channel) return shown.length === 1 ? String(shown[0]) : ":";
      return String(levelIndex(position.peek()[i]!, on === 0 ? 1 : (l.scale[i] ?? 1), l.shape[i] ?? 1));
    });
    const next = { path: l.path, slice: slice.join(","), level: on };
    const old = onScreen.peek();
    if (!old || old.path !== next.path || old.slice !== next.slice) onScreen.value = next;
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

const only0: readonly number[] = [0];

/** Changes when other tiles come into sight or another level counts; a number, as it is made in every frame. */
function wantKey(c: Camera, level: number): number {
  const k = 64 / c.zoom;
  return level + 32 * (Math.floor(c.x / k) + 4096 * Math.floor(c.y / k)) + Math.fround(c.zoom) * 1e-3;
}

function valueText(v: number): string {
  return Number.isNaN(v) ? "missing" : numberText(v);
}

function makeRenderer(canvas: HTMLCanvasElement, flat: boolean): Renderer | null {
  return (flat ? null : GlRenderer.create(canvas)) ?? FlatRenderer.create(canvas);
}

/** Bytes of tiles that are kept: less on devices that have little. */
function memory(): number {
  const gib = (navigator as { deviceMemory?: number }).deviceMemory ?? 4;
  return Math.min(256, Math.max(96, gib * 48)) * 2 ** 20;
}

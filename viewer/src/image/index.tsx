// The image view: the stage, and over it the tools, the axes, the scale bar and what there is to say.

import { useSignal } from "../signals";
import type { Node } from "../api";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { goTo, registerKey, toast } from "../state";
import { EmptyState } from "../ui/states";
import { Axes, useAxisKeys } from "./axes";
import { ImageDisplay } from "./display";
import { type ImageModel, modelOf } from "./model";
import { North, Notices } from "./notices";
import { Stage } from "./stage";
import { Tools } from "./tools";

export { ImageDisplay };

export function ImageView({ node }: { node: Node }) {
  const model = modelOf(node);
  if (!model) return <EmptyState icon="image" title="No picture of this" text="It has no two axes that a picture could have." />;
  if (model.empty) {
    const shape = model.info.axes.map((a) => a.size).join(" × ");
    return <EmptyState icon="image" title="An image without pixels" text={`Its shape is ${shape}: there is nothing to show, and nothing wrong with it.`} />;
  }
  return <Picture key={node.source + node.path} model={model} />;
}

function Picture({ model }: { model: ImageModel }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const barText = useRef<HTMLSpanElement>(null);
  const [flat, setFlat] = useState(new URLSearchParams(location.search).has("flat"));
  const [turn, setTurn] = useState(0);
  const stage = useSignal<Stage | null>(null);

  // At once, since it asks for what is to be seen.
  useLayoutEffect(() => {
    const s = new Stage(model, { box: box.current!, canvas: canvas.current!, overlay: overlay.current!, bar: bar.current!, barText: barText.current! }, flat, () => setTurn((n) => n + 1));
    // Graphics that begin and then fail: another canvas, another way.
    if (!s.renderer && !flat) {
      s.dispose();
      setFlat(true);
      return;
    }
    stage.value = s;
    goTo.value = (p) => s.goTo(p);
    const undo = [model.follow(), model.count(), keys(model, s)];
    return () => {
      stage.value = null;
      goTo.value = null;
      model.playing.value = null;
      for (const u of undo) u();
      s.dispose();
    };
  }, [model, flat, turn]);
  useAxisKeys(model);

  const name = model.node.label ?? model.node.name;
  return (
    <section class="image" aria-label={"Image " + name} aria-busy={stage.value?.told.value.waiting ?? true}>
      <div
        ref={box} class={"image-stage" + (model.measuring.value ? " measuring" : "")} tabIndex={0} role="application"
        aria-label={`${name}: drag or arrow keys move, plus and minus zoom, 0 shows all`} aria-roledescription="picture"
      >
        <canvas ref={canvas} key={flat ? "flat" : "gl"} aria-hidden="true" />
        <canvas ref={overlay} aria-hidden="true" />
      </div>
      {stage.value && <Tools model={model} stage={stage.value} />}
      <North model={model} />
      <div class="image-foot">
        <div class="image-scale" role="img" aria-label="Scale bar"><div ref={bar} /><span ref={barText} /></div>
        <Axes model={model} />
      </div>
      {stage.value && <Notices model={model} stage={stage.value} />}
    </section>
  );
}

function keys(model: ImageModel, s: Stage): () => void {
  const { channels, info } = model;
  const far = () => Math.max(40, s.camera.width / 8);
  const undo = [
    registerKey("+", "zoom in", () => s.zoom(1.6)),
    registerKey("=", "zoom in", () => s.zoom(1.6)),
    registerKey("-", "zoom out", () => s.zoom(1 / 1.6)),
    registerKey("0", "show everything", () => s.fit()),
    registerKey("p", "one pixel on one of the screen", () => s.actual()),
    registerKey("ArrowLeft", "move left", () => s.pan(far(), 0)),
    registerKey("ArrowRight", "move right", () => s.pan(-far(), 0)),
    registerKey("ArrowUp", "move up", () => s.pan(0, far())),
    registerKey("ArrowDown", "move down", () => s.pan(0, -far())),
    registerKey("g", "grid of chunks and shards", () => (model.grid.value = !model.grid.peek())),
    registerKey("m", "measure a distance", () => (model.measuring.value = !model.measuring.peek())),
    registerKey("Enter", "set a point of the distance in the middle", () => model.measuring.peek() && s.addPoint()),
    registerKey("Escape", "end measuring", () => (model.measuring.value = false)),
    registerKey("s", "save the picture", () => void save(model, s)),
  ];
  if (!info.rgb) undo.push(registerKey("a", "contrast by percentiles", () => model.autoContrast()));
  if (info.labels.length > 0) undo.push(registerKey("l", "labels", () => (model.labels.value = model.labels.peek() ? null : { index: 0, opacity: 0.5, edges: false })));
  if (channels.length > 1 && !info.rgb) {
    channels.slice(0, 9).forEach((c, i) => undo.push(registerKey(String(i + 1), `show or hide ${c.label}`, () => (c.on.value = !c.on.peek()))));
  }
  return () => {
    for (const u of undo) u();
  };
}

/** Hands the view to the browser as a file. */
export async function save(model: ImageModel, s: Stage): Promise<void> {
  try {
    const blob = await s.picture(getComputedStyle(document.documentElement).getPropertyValue("--canvas").trim() || "#000");
    const a = document.createElement("a");
    a.href = URL.createObjectURL(blob);
    a.download = (model.node.name || model.node.source).replace(/[^\w.-]+/g, "_") + ".png";
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10000);
    toast("Picture saved");
  } catch (e) {
    toast("No picture: " + (e instanceof Error ? e.message : String(e)));
  }
}

// Drawing with WebGL 2: values as they are go into textures, windows and colours are a matter of the shader.

import type { Look } from "./look";
import { missingDark, missingLight, missingSize } from "./look";
import type { Renderer } from "./renderer";
import type { Region, Scene } from "./scene";
import type { Tile } from "./tiles";

type Kind = "usampler2D" | "isampler2D" | "sampler2D";
type Program = { program: WebGLProgram; at: Record<string, WebGLUniformLocation | null> };

/** Channels that one shader can take: every device has 16 textures, one is for the colour map. */
export const mostChannels = 12;

const vertex = `#version 300 es
in vec2 a;
uniform vec4 rect;
out vec2 q;
void main() {
  q = a;
  gl_Position = vec4(mix(rect.xy, rect.zw, a), 0.0, 1.0);
}`;

function vec3(bgr: number): string {
  return `vec3(${[bgr & 255, (bgr >> 8) & 255, bgr >> 16].map((v) => (v / 255).toFixed(5)).join()})`;
}

/**
 * The shader for n channels of a kind of values. Of each it is told base (where in the tile, and how far), size (of the
 * tile, 0 where there is none, and whether it is mixed between pixels), window (lower end, 1 / width, gamma) and colour.
 */
function fragment(kind: Kind, n: number, mapped: boolean, alpha: boolean): string {
  const each = (f: (i: number) => string) => Array.from({ length: n }, (_, i) => f(i)).join("");
  const add = (i: number) =>
    alpha && i === 3
      ? "full = t;"
      : `seen = true; rgb += ${mapped ? "texture(map, vec2((t * 255.0 + 0.5) / 256.0, 0.5)).rgb" : `t * colour[${i}]`};`;
  return `#version 300 es
precision highp float;
precision highp int;
precision highp ${kind};
in vec2 q;
out vec4 result;
${each((i) => `uniform ${kind} s${i};\n`)}
uniform sampler2D map;
uniform vec4 base[${n}];
uniform vec3 size[${n}];
uniform vec3 window[${n}];
uniform vec3 colour[${n}];
bool missing(float v) { return (floatBitsToUint(v) & 0x7fffffffu) > 0x7f800000u; }
float at(${kind} s, ivec2 p, ivec2 most) { return float(texelFetch(s, clamp(p, ivec2(0), most), 0).r); }
float mixed(${kind} s, vec2 p, ivec2 most) {
  p -= 0.5;
  ivec2 i = ivec2(floor(p));
  vec2 f = p - vec2(i);
  vec4 v = vec4(at(s, i, most), at(s, i + ivec2(1, 0), most), at(s, i + ivec2(0, 1), most), at(s, i + ivec2(1, 1), most));
  vec4 w = vec4((1.0 - f.x) * (1.0 - f.y), f.x * (1.0 - f.y), (1.0 - f.x) * f.y, f.x * f.y);
  for (int k = 0; k < 4; k++) if (missing(v[k])) { v[k] = 0.0; w[k] = 0.0; }
  float sum = w.x + w.y + w.z + w.w;
  return sum < 0.5 ? uintBitsToFloat(0x7fc00000u) : dot(v, w) / sum;
}
void main() {
  vec3 rgb = vec3(0.0);
  float full = 1.0;
  bool seen = false;
${each((i) => `  if (size[${i}].x > 0.0) {
    vec2 p = base[${i}].xy + q * base[${i}].zw;
    ivec2 most = ivec2(size[${i}].xy) - 1;
    float v = size[${i}].z > 0.5 ? mixed(s${i}, p, most) : at(s${i}, ivec2(floor(p)), most);
    if (!missing(v)) {
      float t = clamp((v - window[${i}].x) * window[${i}].y, 0.0, 1.0);
      if (window[${i}].z != 1.0) t = pow(t, window[${i}].z);
      ${add(i)}
    }
  }
`)}
  vec2 square = floor(gl_FragCoord.xy / ${missingSize.toFixed(1)});
  vec3 none = mod(square.x + square.y, 2.0) < 0.5 ? ${vec3(missingDark)} : ${vec3(missingLight)};
  result = vec4(seen ? mix(none, min(rgb, 1.0), full) : none, 1.0);
}`;
}

// step is how far the edge of a label reaches, in pixels of the tile, show has the opacity, and whether only edges are drawn.
const labelFragment = `#version 300 es
precision highp float;
in vec2 q;
out vec4 result;
uniform sampler2D s0;
uniform vec4 base;
uniform vec2 size;
uniform vec2 step;
uniform vec2 show;
vec4 at(vec2 p) { return texelFetch(s0, clamp(ivec2(floor(p)), ivec2(0), ivec2(size) - 1), 0); }
void main() {
  vec2 p = base.xy + q * base.zw;
  vec4 c = at(p);
  if (show.y > 0.5 && at(p + vec2(step.x, 0)) == c && at(p - vec2(step.x, 0)) == c && at(p + vec2(0, step.y)) == c && at(p - vec2(0, step.y)) == c) c.a = 0.0;
  result = vec4(c.rgb, c.a * show.x);
}`;

export class GlRenderer implements Renderer {
  readonly name = "WebGL 2";
  readonly #programs = new Map<number, Program>();
  readonly #quad: WebGLBuffer;
  readonly #mapTexture: WebGLTexture;
  #mapped: Uint8Array | null = null;
  readonly #base = new Float32Array(4 * mostChannels);
  readonly #size = new Float32Array(3 * mostChannels);
  readonly #window = new Float32Array(3 * mostChannels);
  readonly #colour = new Float32Array(3 * mostChannels);
  #scale = 1;
  #current: WebGLProgram | null = null;

  static create(canvas: HTMLCanvasElement): GlRenderer | null {
    const gl = canvas.getContext("webgl2", { antialias: false, depth: false, alpha: true, premultipliedAlpha: true, powerPreference: "high-performance" });
    return gl ? new GlRenderer(gl) : null;
  }

  private constructor(private readonly gl: WebGL2RenderingContext) {
    this.#quad = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#quad);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.#mapTexture = gl.createTexture();
  }

  warm(type: string, look: Look): void {
    this.#program(sampler(type), Math.max(1, look.channels.length), look.map !== null, look.alpha);
  }

  #compile(fragmentSource: string, names: string[]): Program {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragmentSource]] as const) {
      const shader = gl.createShader(type)!;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error("shader: " + gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
      gl.deleteShader(shader);
    }
    gl.bindAttribLocation(program, 0, "a");
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error("shader: " + gl.getProgramInfoLog(program));
    const at: Program["at"] = {};
    for (const name of names) at[name] = gl.getUniformLocation(program, name);
    return { program, at };
  }

  #program(kind: Kind, n: number, mapped: boolean, alpha: boolean): Program {
    const key = n * 16 + (kind === "sampler2D" ? 0 : kind === "isampler2D" ? 1 : 2) * 4 + (mapped ? 2 : 0) + (alpha ? 1 : 0);
    let p = this.#programs.get(key);
    if (!p) {
      p = this.#compile(fragment(kind, n, mapped, alpha), ["rect", "base", "size", "window", "colour", "map"]);
      this.#programs.set(key, p);
      this.#use(p);
      for (let i = 0; i < n; i++) this.gl.uniform1i(this.gl.getUniformLocation(p.program, "s" + i), i);
      if (p.at.map) this.gl.uniform1i(p.at.map, 15);
    }
    return p;
  }

  #use(p: Program): void {
    if (this.#current === p.program) return;
    this.gl.useProgram(p.program);
    this.#current = p.program;
  }

  prepare(t: Tile): void {
    const gl = this.gl;
    t.texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, t.texture);
    for (const p of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, p, gl.NEAREST);
    for (const p of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, p, gl.CLAMP_TO_EDGE);
    if (t.plane.pyramid.labels) {
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, t.width, t.height, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(t.data!.buffer, t.data!.byteOffset, t.data!.byteLength));
      return;
    }
    const i = integers.indexOf(t.data!.constructor.name);
    const [internal, format, type] = i < 0 ? [gl.R32F, gl.RED, gl.FLOAT] : [gl.R8I + i, gl.RED_INTEGER, gl.BYTE + i];
    gl.texImage2D(gl.TEXTURE_2D, 0, internal, t.width, t.height, 0, format, type, t.data);
  }

  free(t: Tile): void {
    if (t.texture) this.gl.deleteTexture(t.texture);
    t.texture = null;
  }

  begin(width: number, height: number, dpr: number): void {
    const gl = this.gl;
    const canvas = gl.canvas as HTMLCanvasElement;
    const w = Math.max(1, Math.round(width * dpr));
    const h = Math.max(1, Math.round(height * dpr));
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
    }
    this.#scale = dpr;
    gl.viewport(0, 0, w, h);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  image(scene: Scene, look: Look, crisp: boolean): void {
    const gl = this.gl;
    const n = look.channels.length;
    if (n === 0 || scene.count === 0) return;
    gl.disable(gl.BLEND);
    const p = this.#program(kindOf(scene), n, look.map !== null, look.alpha);
    this.#use(p);
    for (let i = 0; i < n; i++) {
      const c = look.channels[i]!;
      this.#window[3 * i] = c.lo;
      this.#window[3 * i + 1] = 1 / (c.hi - c.lo);
      this.#window[3 * i + 2] = c.gamma;
      this.#colour[3 * i] = c.r;
      this.#colour[3 * i + 1] = c.g;
      this.#colour[3 * i + 2] = c.b;
    }
    gl.uniform3fv(p.at.window!, this.#window, 0, 3 * n);
    if (p.at.colour) gl.uniform3fv(p.at.colour, this.#colour, 0, 3 * n);
    if (look.map && p.at.map) this.#bindMap(look.map);
    for (let k = 0; k < scene.count; k++) {
      const r = scene.regions[k]!;
      for (let i = 0; i < n; i++) {
        const t = r.tiles[i] ?? null;
        this.#size[3 * i] = 0;
        if (!t) continue;
        this.#place(r, t, this.#base, 4 * i);
        this.#size[3 * i] = t.width;
        this.#size[3 * i + 1] = t.height;
        this.#size[3 * i + 2] = crisp && t.grid.level === scene.level ? 0 : 1;
        gl.activeTexture(gl.TEXTURE0 + i);
        gl.bindTexture(gl.TEXTURE_2D, t.texture);
      }
      this.#rect(p, r);
      gl.uniform4fv(p.at.base!, this.#base, 0, 4 * n);
      gl.uniform3fv(p.at.size!, this.#size, 0, 3 * n);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
  }

  labels(scene: Scene, opacity: number, edges: boolean): void {
    if (scene.count === 0) return;
    const gl = this.gl;
    let p = this.#programs.get(0);
    if (!p) {
      p = this.#compile(labelFragment, ["rect", "base", "size", "step", "show"]);
      this.#programs.set(0, p);
    }
    this.#use(p);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform2f(p.at.show!, opacity, edges ? 1 : 0);
    gl.activeTexture(gl.TEXTURE0);
    for (let k = 0; k < scene.count; k++) {
      const r = scene.regions[k]!;
      const t = r.tiles[0] ?? null;
      if (!t) continue;
      this.#place(r, t, this.#base, 0);
      gl.bindTexture(gl.TEXTURE_2D, t.texture);
      this.#rect(p, r);
      gl.uniform4fv(p.at.base!, this.#base, 0, 4);
      gl.uniform2f(p.at.size!, t.width, t.height);
      // Edges are a pixel and a half wide: one is hard to see.
      const wide = 1.5 / this.#scale;
      gl.uniform2f(p.at.step!, Math.abs((this.#base[2]! * wide) / (r.sx1 - r.sx0)), Math.abs((this.#base[3]! * wide) / (r.sy1 - r.sy0)));
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
  }

  end(): void {}

  dispose(): void {
    const gl = this.gl;
    for (const p of this.#programs.values()) gl.deleteProgram(p.program);
    gl.deleteBuffer(this.#quad);
    gl.deleteTexture(this.#mapTexture);
  }

  #rect(p: Program, r: Region): void {
    const w = (2 * this.#scale) / this.gl.drawingBufferWidth;
    const h = (2 * this.#scale) / this.gl.drawingBufferHeight;
    this.gl.uniform4f(p.at.rect!, r.sx0 * w - 1, 1 - r.sy0 * h, r.sx1 * w - 1, 1 - r.sy1 * h);
  }

  /** Where a region lies in a tile, in pixels of the tile. */
  #place(r: Region, t: Tile, out: Float32Array, i: number): void {
    const g = t.grid;
    out[i] = r.x0 / g.scaleX - t.tx * g.tileX;
    out[i + 1] = r.y0 / g.scaleY - t.ty * g.tileY;
    out[i + 2] = (r.x1 - r.x0) / g.scaleX;
    out[i + 3] = (r.y1 - r.y0) / g.scaleY;
  }

  #bindMap(map: Uint8Array): void {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE15);
    gl.bindTexture(gl.TEXTURE_2D, this.#mapTexture);
    if (this.#mapped === map) return;
    this.#mapped = map;
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, map);
  }
}

function kindOf(scene: Scene): Kind {
  for (let k = 0; k < scene.count; k++) {
    for (const t of scene.regions[k]!.tiles) if (t) return sampler(t.data!.constructor.name);
  }
  return "sampler2D";
}

const sampler = (type: string): Kind => (/^u/i.test(type) ? "usampler2D" : /^i/i.test(type) ? "isampler2D" : "sampler2D");

/** In the order of the numbers that WebGL has for them. */
const integers = ["Int8Array", "Uint8Array", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array"];

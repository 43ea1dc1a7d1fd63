// Draws lines and boxes by WebGL: as many as a large network has, each an instance of one square.

import * as twgl from "twgl.js";
import type { Lens, Size } from "./camera";
import type { Ground } from "./ground";
import { detailAt, endingIn, fullnessAt, type Lines, type Nodes, type Picture, spreadAt } from "./picture";
import type { Colour } from "./theme";

const LINE_VERTEX = `#version 300 es
in vec2 corner;
in vec4 ends;
in vec4 shape;
in vec4 colour;
uniform vec2 middle;
uniform vec2 size;
uniform vec2 scale;
uniform float spread;
uniform float fullness;
out float side;
out float half_width;
out float way;
flat out float dashed;
flat out vec4 shade;
void main() {
  vec2 a = (ends.xy - middle) * scale;
  vec2 b = (ends.zw - middle) * scale;
  vec2 along = b - a;
  float distance = max(length(along), 1e-6);
  vec2 across = vec2(-along.y, along.x) / distance;
  half_width = 0.5 * max(shape.y * (0.3 + 0.7 * fullness), 0.8);
  side = corner.y * (half_width + 0.75);
  way = corner.x * distance;
  dashed = shape.z;
  float kept = fullness + (1.0 - fullness) * shape.w * shape.w * shape.w * 0.5;
  shade = vec4(colour.rgb, colour.a * kept);
  vec2 at = mix(a, b, corner.x) + across * (shape.x * spread + side);
  gl_Position = vec4(at * 2.0 / size * vec2(1.0, -1.0), 0.0, 1.0);
}`;

const LINE_FRAGMENT = `#version 300 es
precision mediump float;
in float side;
in float half_width;
in highp float way;
flat in float dashed;
flat in vec4 shade;
out vec4 found;
void main() {
  if (dashed > 0.5 && mod(way, 9.0) > 5.0) discard;
  float opacity = shade.a * clamp(half_width + 0.5 - abs(side), 0.0, 1.0);
  found = vec4(shade.rgb * opacity, opacity);
}`;

const NODE_VERTEX = `#version 300 es
in vec2 corner;
in vec2 at;
in vec4 half_size;
in vec4 fill;
in vec4 edge;
uniform vec2 middle;
uniform vec2 size;
uniform vec2 scale;
uniform vec2 half_scale;
out vec2 beside;
flat out vec2 half_pixels;
flat out vec4 inner;
flat out vec4 outer;
void main() {
  half_pixels = min(max(half_size.xy * half_scale, vec2(half_size.z)), vec2(half_size.w));
  vec2 reach = half_pixels + 1.0;
  beside = (corner * vec2(2.0, 1.0) - vec2(1.0, 0.0)) * reach;
  inner = fill;
  outer = edge;
  vec2 place = (at - middle) * scale + beside;
  gl_Position = vec4(place * 2.0 / size * vec2(1.0, -1.0), 0.0, 1.0);
}`;

const NODE_FRAGMENT = `#version 300 es
precision mediump float;
in vec2 beside;
flat in vec2 half_pixels;
flat in vec4 inner;
flat in vec4 outer;
out vec4 found;
void main() {
  vec2 within = half_pixels - abs(beside);
  float inside = min(within.x, within.y);
  float border = clamp(0.12 * min(half_pixels.x, half_pixels.y), 1.0, 2.0);
  vec4 shade = inside < border ? outer : inner;
  float opacity = shade.a * clamp(inside + 0.5, 0.0, 1.0);
  found = vec4(shade.rgb * opacity, opacity);
}`;

const CORNERS = [0, -1, 1, -1, 0, 1, 1, 1];

interface Batch {
  readonly count: number;
  readonly array: twgl.VertexArrayInfo;
  readonly buffers: twgl.BufferInfo;
}

/** A canvas that shows a picture from any place. */
export class GlDrawing {
  private readonly lines: twgl.ProgramInfo;
  private readonly nodes: twgl.ProgramInfo;
  private readonly corners: WebGLBuffer;
  private readonly batches = new Map<keyof Picture, Batch>();
  private picture: Picture | null = null;

  private constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly gl: WebGL2RenderingContext,
  ) {
    this.lines = twgl.createProgramInfo(gl, [LINE_VERTEX, LINE_FRAGMENT]);
    this.nodes = twgl.createProgramInfo(gl, [NODE_VERTEX, NODE_FRAGMENT]);
    this.corners = twgl.createBufferFromTypedArray(gl, new Float32Array(CORNERS));
  }

  /** Begin drawing on a canvas, or return null in a browser without WebGL 2. */
  static on(canvas: HTMLCanvasElement): GlDrawing | null {
    const gl = canvas.getContext("webgl2", {
      alpha: false,
      antialias: false,
      depth: false,
      stencil: false,
      powerPreference: "low-power",
    });
    return gl && !gl.isContextLost() ? new GlDrawing(canvas, gl) : null;
  }

  /** Take a picture; what was taken before is let go. */
  take(picture: Picture): void {
    for (const batch of this.batches.values()) this.drop(batch);
    this.batches.clear();
    this.picture = picture;
  }

  draw(lens: Lens, size: Size, ratio: number, ground: Ground, page: Colour): void {
    const { gl, canvas } = this;
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(page[0] / 255, page[1] / 255, page[2] / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!this.picture) return;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const uniforms = {
      middle: [lens.x, lens.y],
      size: [size.width, size.height],
      scale: [lens.scale, lens.down],
      spread: spreadAt(ground, lens.scale),
    };
    const frames = this.batchOf(this.picture, "frames");
    this.run(this.nodes, frames, { ...uniforms, half_scale: [lens.scale, lens.down] });
    const all = this.picture[detailAt(ground, lens.scale)];
    const seen = endingIn(all, lens, size);
    const lines = seen === all ? this.batchOf(this.picture, detailAt(ground, lens.scale)) : this.lineBatch(seen);
    const fullness = fullnessAt(ground, lens.scale, lines.count);
    this.run(this.lines, lines, { ...uniforms, fullness });
    if (seen !== all) this.drop(lines);
    const nodes = this.batchOf(this.picture, "nodes");
    this.run(this.nodes, nodes, { ...uniforms, half_scale: [lens.scale, lens.scale] });
  }

  /** Wait until all is drawn. */
  finish(): void {
    this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  private run(program: twgl.ProgramInfo, batch: Batch, uniforms: Record<string, unknown>): void {
    if (!batch.count) return;
    this.gl.useProgram(program.program);
    twgl.setBuffersAndAttributes(this.gl, program, batch.array);
    twgl.setUniforms(program, uniforms);
    twgl.drawBufferInfo(this.gl, batch.array, this.gl.TRIANGLE_STRIP, 4, 0, batch.count);
  }

  /** What is drawn goes to the GPU when it is first seen. */
  private batchOf(picture: Picture, part: keyof Picture): Batch {
    let batch = this.batches.get(part);
    if (!batch) {
      const isNodes = part === "frames" || part === "nodes";
      batch = isNodes ? this.nodeBatch(picture[part]) : this.lineBatch(picture[part]);
      this.batches.set(part, batch);
    }
    return batch;
  }

  private lineBatch(lines: Lines): Batch {
    return this.batch(this.lines, lines.count, {
      ends: each(4, lines.ends),
      shape: each(4, lines.shape),
      colour: each(4, lines.colours),
    });
  }

  private nodeBatch(nodes: Nodes): Batch {
    return this.batch(this.nodes, nodes.count, {
      at: each(2, nodes.at),
      half_size: each(4, nodes.half),
      fill: each(4, nodes.fill),
      edge: each(4, nodes.edge),
    });
  }

  private batch(program: twgl.ProgramInfo, count: number, arrays: twgl.Arrays): Batch {
    const corner = { numComponents: 2, buffer: this.corners, type: this.gl.FLOAT };
    // The count is given, as twgl would ask the GPU for it, which first draws all it was told to.
    const known = { numElements: 4, attribs: {} };
    const buffers = twgl.createBufferInfoFromArrays(this.gl, { ...arrays, corner }, known);
    const array = twgl.createVertexArrayInfo(this.gl, program, buffers);
    return { count, array, buffers };
  }

  private drop(batch: Batch): void {
    this.gl.deleteVertexArray(batch.array.vertexArrayObject as WebGLVertexArrayObject);
    for (const { buffer } of Object.values(batch.buffers.attribs ?? {})) {
      if (buffer && buffer !== this.corners) this.gl.deleteBuffer(buffer);
    }
  }
}

function each(numComponents: number, data: Float32Array | Uint8Array) {
  return { numComponents, data, divisor: 1, normalize: data instanceof Uint8Array };
}

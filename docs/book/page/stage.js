// The picture: flat shaded triangles in WebGL, a view that turns, a body under the pointer.

const VERTEX = `#version 300 es
in vec3 corner, normal;
uniform mat4 view, pose;
uniform bool is_lit;
out float light;
void main() {
  vec3 turned = (vec4(normal, 0.0) * pose).xyz;
  light = is_lit ? 0.62 + 0.38 * dot(turned, normalize(vec3(0.3, -0.5, 0.8))) : 1.0;
  gl_Position = view * (vec4(corner, 1.0) * pose);
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in float light;
uniform vec3 color;
out vec4 pixel;
void main() { pixel = vec4(color * light, 1.0); }`;
const FIELD = 0.35; // tangent of half the angle of view
const GRID = [0.6, 0.63, 0.67];
const PULL = [0.88, 0.28, 0.24];

// Without a graphics card smooth edges take as long as the rest of the picture.
function isDrawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

// The unit normal of each triangle, at each of its corners.
function normals(corners) {
  const made = new Float32Array(corners.length);
  for (let k = 0; k < corners.length; k += 9) {
    const [a, b, c] = [0, 3, 6].map((n) => corners.subarray(k + n, k + n + 3));
    const normal = unit(cross(sub(b, a), sub(c, a)));
    for (const n of [0, 3, 6]) made.set(normal, k + n);
  }
  return made;
}

class Stage {
  constructor(canvas, shapes) {
    this.canvas = canvas;
    this.shapes = shapes.map((shape) => ({
      ...shape,
      corners: new Float32Array(bytesOf(shape.corners).buffer),
    }));
    this.gl = canvas.getContext("webgl2", { antialias: !isDrawnBySoftware() });
    this.angles = [-0.9, 0.25];
    this.ground = Float64Array.from(IDENTITY);
    if (this.gl) this.prepare();
  }

  prepare() {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    [this.corner, this.normal] = ["corner", "normal"].map((name) => gl.getAttribLocation(program, name));
    gl.enableVertexAttribArray(this.corner);
    const names = ["view", "pose", "is_lit", "color"];
    this.places = Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)]));
    this.buffers = this.shapes.map(({ corners }) => [corners, normals(corners)].map((x) => this.buffer(x)));
    this.lines = gl.createBuffer();
  }

  buffer(numbers) {
    const { gl } = this;
    const made = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, made);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    return made;
  }

  // Look at all that is drawn with the bodies at each of some poses.
  frame(many) {
    const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const corner of many.flatMap((poses) => this.corners(poses))) {
      corner.forEach((x, axis) => {
        low[axis] = Math.min(low[axis], x);
        high[axis] = Math.max(high[axis], x);
      });
    }
    this.center = low.map((x, k) => 0.5 * (x + high[k]));
    this.floor = low[2];
    this.size = Math.hypot(...sub(high, low));
    this.distance = (0.6 * this.size) / FIELD;
  }

  corners(poses) {
    return this.shapes.flatMap(({ body, corners }) => Array.from(
      { length: corners.length / 3 },
      (_, k) => transformed(poses, body, corners.subarray(3 * k, 3 * k + 3)),
    ));
  }

  get eye() {
    const [azimuth, height] = this.angles;
    const flat = Math.cos(height);
    const away = [Math.cos(azimuth) * flat, Math.sin(azimuth) * flat, Math.sin(height)];
    return add(this.center, away, this.distance);
  }

  // Right, up, and from the center to the eye.
  get axes() {
    const back = unit(sub(this.eye, this.center));
    const right = unit(cross([0, 0, 1], back));
    return [right, cross(back, right), back];
  }

  view(aspect) {
    const [right, up, back] = this.axes;
    const [near, far] = [0.05 * this.distance, 20 * this.distance];
    const rows = [
      [right, 1 / (FIELD * aspect)], [up, 1 / FIELD], [back, (near + far) / (near - far)],
    ].map(([axis, s]) => [...axis, -dot(axis, this.eye)].map((x) => s * x));
    rows[2][3] += (2 * near * far) / (near - far);
    rows.push([...back.map((x) => -x), dot(back, this.eye)]);
    return rows[0].flatMap((_, c) => rows.map((row) => row[c]));
  }

  draw(poses, pull, lines) {
    const { gl, canvas } = this;
    if (!gl) return;
    const ratio = window.devicePixelRatio;
    const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(this.places.view, false, this.view(width / height));
    this.light(true);
    this.shapes.forEach(({ body, color, corners }, k) => {
      const [places, directions] = this.buffers[k];
      this.read(this.normal, directions);
      this.read(this.corner, places);
      this.paint(gl.TRIANGLES, corners.length / 3, color, poseOf(poses, body));
    });
    this.light(false);
    this.drawLines(this.grid(), GRID, this.ground);
    gl.disable(gl.DEPTH_TEST); // forces are seen through bodies
    for (const { points, color } of lines) this.drawLines(points, color);
    gl.enable(gl.DEPTH_TEST);
    if (pull) this.drawLines([...transformed(poses, pull.body, pull.point), ...pull.target], PULL);
  }

  // Lines have no normals, and one color.
  light(isLit) {
    const { gl } = this;
    gl.uniform1i(this.places.is_lit, isLit);
    if (isLit) gl.enableVertexAttribArray(this.normal);
    else gl.disableVertexAttribArray(this.normal);
  }

  read(attribute, buffer) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.vertexAttribPointer(attribute, 3, gl.FLOAT, false, 0, 0);
  }

  // The shader multiplies from the left by a pose, whose rows it reads as columns.
  paint(kind, count, color, pose) {
    const { gl } = this;
    gl.uniform3fv(this.places.color, color);
    gl.uniformMatrix4fv(this.places.pose, false, Float32Array.from(pose));
    gl.drawArrays(kind, 0, count);
  }

  drawLines(points, color, pose = IDENTITY) {
    const { gl } = this;
    this.read(this.corner, this.lines);
    gl.bufferData(gl.ARRAY_BUFFER, Float32Array.from(points), gl.DYNAMIC_DRAW);
    this.paint(gl.LINES, points.length / 3, color, pose);
  }

  // The ground under the center, in its own coordinates; its lines stay where they are.
  grid() {
    const [half, n, z] = [this.size, 8, this.floor];
    const mesh = (2 * half) / n;
    const [x, y] = transformedBack(this.ground, 1, this.center).map((s) => mesh * Math.round(s / mesh));
    return Array.from({ length: n + 1 }, (_, k) => mesh * k - half).flatMap((s) => [
      x + s, y - half, z, x + s, y + half, z, x - half, y + s, z, x + half, y + s, z,
    ]);
  }

  // The ground is a plane through the origin that slopes down along x.
  incline(angle) {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    this.floor = 0;
    this.ground = Float64Array.of(c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0, 0, 0, 0, 1);
  }

  // The direction in which the eye sees a point of the page.
  ray({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect();
    const x = (2 * (clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (clientY - box.top)) / box.height;
    const [right, up, back] = this.axes;
    const wide = (FIELD * box.width) / box.height;
    return unit(add(add(right.map((r) => r * x * wide), up, y * FIELD), back, -1));
  }

  // The moving body at a point of the page, and where it is met; null if there is none.
  pick(poses, event) {
    const [from, way] = [this.eye, this.ray(event)];
    let [nearest, found] = [Infinity, 0];
    for (const { body, corners } of this.shapes) {
      const start = transformedBack(poses, body, from);
      const along = sub(transformedBack(poses, body, add(from, way)), start);
      const at = (k) => [corners[k], corners[k + 1], corners[k + 2]];
      for (let k = 0; k < corners.length; k += 9) {
        const distance = hit(start, along, at(k), at(k + 3), at(k + 6));
        if (distance < nearest) [nearest, found] = [distance, body];
      }
    }
    return found ? { body: found, place: add(from, way, nearest) } : null;
  }

  // Where the ray meets the plane through a point that faces the eye.
  aim(event, through) {
    const [from, way] = [this.eye, this.ray(event)];
    const back = this.axes[2];
    return add(from, way, dot(back, sub(through, from)) / dot(back, way));
  }
}

// The picture: flat shaded triangles in WebGL, a view that turns, a body under the pointer.

const VERTEX = `#version 300 es
in vec3 corner;
uniform mat4 view, pose;
out vec3 place;
void main() {
  vec4 there = vec4(corner, 1.0) * pose;
  place = there.xyz;
  gl_Position = view * there;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec3 place;
uniform vec3 color;
uniform bool is_lit;
out vec4 pixel;
void main() {
  vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
  float light = 0.62 + 0.38 * dot(normal, normalize(vec3(0.3, -0.5, 0.8)));
  pixel = vec4(is_lit ? color * light : color, 1.0);
}`;
const FIELD = 0.35; // tangent of half the angle of view
const GRID = [0.6, 0.63, 0.67];
const PULL = [0.88, 0.28, 0.24];

class Stage {
  constructor(canvas, shapes) {
    this.canvas = canvas;
    this.shapes = shapes.map((shape) => ({
      ...shape,
      corners: new Float32Array(bytesOf(shape.corners).buffer),
    }));
    this.gl = canvas.getContext("webgl2", { antialias: true });
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
    gl.enableVertexAttribArray(gl.getAttribLocation(program, "corner"));
    this.place = (name) => gl.getUniformLocation(program, name);
    this.buffers = this.shapes.map(({ corners }) => this.buffer(corners));
    this.lines = gl.createBuffer();
  }

  buffer(corners) {
    const { gl } = this;
    const made = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, made);
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
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
    gl.uniformMatrix4fv(this.place("view"), false, this.view(width / height));
    gl.uniform1i(this.place("is_lit"), 1);
    this.shapes.forEach(({ body, color, corners }, k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[k]);
      this.paint(gl.TRIANGLES, corners.length / 3, color, poseOf(poses, body));
    });
    gl.uniform1i(this.place("is_lit"), 0);
    this.drawLines(this.grid(), GRID, this.ground);
    gl.disable(gl.DEPTH_TEST); // forces are seen through bodies
    for (const { points, color } of lines) this.drawLines(points, color);
    gl.enable(gl.DEPTH_TEST);
    if (pull) this.drawLines([...transformed(poses, pull.body, pull.point), ...pull.target], PULL);
  }

  // The shader multiplies from the left by a pose, whose rows it reads as columns.
  paint(kind, count, color, pose) {
    const { gl } = this;
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.uniform3fv(this.place("color"), color);
    gl.uniformMatrix4fv(this.place("pose"), false, Float32Array.from(pose));
    gl.drawArrays(kind, 0, count);
  }

  drawLines(points, color, pose = IDENTITY) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lines);
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

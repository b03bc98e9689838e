// Vectors of three numbers, and matrices of sixteen: poses by rows, of WebGL by columns.

const sub = (a, b) => a.map((x, k) => x - b[k]);
const add = (a, b, s = 1) => a.map((x, k) => x + s * b[k]);
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const cross = ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x];
const unit = (a) => a.map((x) => x / Math.hypot(...a));

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

// Lines from a point along a vector, with a head.
function arrow(from, way, size = 0.5) {
  const length = Math.hypot(...way);
  if (!(length > 1e-4)) return [];
  const [along, to] = [unit(way), add(from, way, size)];
  const side = unit(cross(along, Math.abs(along[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));
  const head = Math.min(0.3 * size * length, 0.03);
  const barbs = [1, -1].flatMap((s) => [...to, ...add(add(to, along, -head), side, 0.5 * s * head)]);
  return [...from, ...to, ...barbs];
}

// The pose of a body, 0 is the base.
function poseOf(poses, body) {
  return body ? poses.subarray(16 * (body - 1), 16 * body) : IDENTITY;
}

function transformed(poses, body, point) {
  const m = poseOf(poses, body);
  return [0, 4, 8].map((r) => m[r] * point[0] + m[r + 1] * point[1] + m[r + 2] * point[2] + m[r + 3]);
}

function transformedBack(poses, body, point) {
  const m = poseOf(poses, body);
  const away = [point[0] - m[3], point[1] - m[7], point[2] - m[11]];
  return [0, 1, 2].map((c) => m[c] * away[0] + m[c + 4] * away[1] + m[c + 8] * away[2]);
}

// Distance along a ray to a triangle, or Infinity (Moeller and Trumbore).
function hit(from, way, a, b, c) {
  const [ab, ac] = [sub(b, a), sub(c, a)];
  const p = cross(way, ac);
  const det = dot(ab, p);
  if (Math.abs(det) < 1e-14) return Infinity;
  const t = sub(from, a);
  const u = dot(t, p) / det;
  const q = cross(t, ab);
  const v = dot(way, q) / det;
  const distance = dot(ac, q) / det;
  return u >= 0 && v >= 0 && u + v <= 1 && distance > 0 ? distance : Infinity;
}

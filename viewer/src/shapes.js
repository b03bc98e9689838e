// Geometry of one shape.  Axes as in the library: cylinders, capsules and cones along z.
import * as THREE from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { occluded, occludes } from "./occlusion.js";

// Muted, distinguishable on light and dark grounds; bodies take them in turn,
// those that are drawn as bars one to a limb.
const PALETTE = [
  "#5b7fb5", "#e0995e", "#6aa889", "#c66b6b", "#8f7fbf", "#b59a6a",
  "#d08fb0", "#8d959e", "#b3b06a", "#5fa9b8", "#7c92d6", "#cf8a78",
];
// How finely a shape is drawn; the coarser, the more there are of them.
const FINE = { round: 48, ball: 40, tube: [24, 72], cap: [12, 32], corner: 3, bevel: 5 };
const COARSE = { round: 32, ball: 26, tube: [12, 36], cap: [6, 24], corner: 2, bevel: 3 };
const COARSEST = { round: 20, ball: 16, tube: [8, 24], cap: [4, 16], corner: 1, bevel: 2 };
const [MANY, VERY_MANY] = [16, 100];
const OPAQUE = 0.5; // least opacity of what casts a shadow
const BRIGHTEST = 0.65; // luminance; shades of more would all be white
const CREASE = 0.7; // radians; sharper edges stay edges
const TURNS = 8; // of a coil
const LEAD = 0.1; // share of its length that is straight at either end
const WIRE = 0.14; // its radius by that of the coil
const ROD = 0.35; // the same of a strut's rod

function revolved(profile, facets) {
  const points = profile.map(([r, z]) => new THREE.Vector2(r, z));
  return new THREE.LatheGeometry(points, facets).rotateX(Math.PI / 2);
}

function cylinder([r, length], facets, detail) {
  const h = length / 2;
  const bevel = facets ? 0 : Math.min(r, h) * 0.12;
  const { bevel: steps, round } = detail;
  const arc = Array.from({ length: steps }, (_, k) => (k / (steps - 1)) * (Math.PI / 2));
  const lower = arc.map((t) => [r - bevel + bevel * Math.sin(t), -h + bevel - bevel * Math.cos(t)]);
  const upper = lower.map(([x, z]) => [x, -z]).reverse();
  return revolved([[0, -h], ...lower, ...upper, [0, h]], facets ?? round);
}

// A round bar between two balls of different radii.
function bar([low, high, length], { bevel, round }) {
  const lean = Math.asin(Math.min(Math.max((low - high) / length, -1), 1));
  const steps = 2 * bevel;
  const arc = (radius, from, to, z) => Array.from({ length: steps + 1 }, (_, k) => {
    const angle = from + ((to - from) * k) / steps;
    return [Math.max(radius * Math.cos(angle), 0), z + radius * Math.sin(angle)];
  });
  const lower = arc(low, -Math.PI / 2, lean, -length / 2);
  const upper = arc(high, lean, Math.PI / 2, length / 2);
  return revolved([...lower, ...upper], round);
}

function cone([r, length], { round }) {
  return new THREE.ConeGeometry(r, length, round).rotateX(Math.PI / 2);
}

function mesh({ points, faces }) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
  geometry.setIndex(new THREE.BufferAttribute(faces, 1));
  return toCreasedNormals(geometry, CREASE);
}

// Eight octants in turn of two colours.
function twoToned(geometry, colors) {
  const flat = geometry.toNonIndexed();
  const place = flat.getAttribute("position");
  const paint = new Float32Array(place.count * 3);
  const tones = colors.map((c) => new THREE.Color().setRGB(...c.slice(0, 3), THREE.SRGBColorSpace));
  for (let k = 0; k < place.count; k += 3) {
    const middle = new THREE.Vector3();
    for (let j = 0; j < 3; j++) middle.add(new THREE.Vector3().fromBufferAttribute(place, k + j));
    const tone = tones[middle.x * middle.y * middle.z > 0 ? 0 : 1];
    for (let j = 0; j < 3; j++) tone.toArray(paint, 3 * (k + j));
  }
  flat.setAttribute("color", new THREE.BufferAttribute(paint, 3));
  return flat;
}

function sphere({ size: [r], facets, colors }, detail) {
  const around = facets ? 4 * Math.max(Math.round(facets / 4), 1) : detail.ball;
  // Segments fall on the octants' edges, the poles on z.
  const ball = new THREE.SphereGeometry(r, around, Math.max(2 * Math.round(0.35 * around), 4));
  ball.rotateX(Math.PI / 2);
  return colors ? twoToned(ball, colors) : ball;
}

// From the origin along z; straight and on the axis at both ends.
class Helix extends THREE.Curve {
  constructor(radius, length) {
    super();
    Object.assign(this, { radius, length });
  }

  getPoint(t, target = new THREE.Vector3()) {
    const share = Math.min(Math.max((t - LEAD) / (1 - 2 * LEAD), 0), 1);
    const angle = 2 * Math.PI * TURNS * share;
    const radius = this.radius * Math.min(4 * TURNS * Math.min(share, 1 - share), 1);
    return target.set(radius * Math.cos(angle), radius * Math.sin(angle), this.length * t);
  }
}

function coil([radius, length], { bevel }) {
  return new THREE.TubeGeometry(new Helix(radius, length), 24 * TURNS, WIRE * radius, 2 * bevel);
}

// A cylinder, and a rod that slides in it, along z.
function strut([radius, length], { round }) {
  const [rod, middle] = [ROD * radius, 0.5 * length];
  const profile = [[0, 0], [radius, 0], [radius, middle], [rod, middle], [rod, length], [0, length]];
  return toCreasedNormals(revolved(profile, round), CREASE);
}

const BUILDERS = {
  box: ({ size: [x, y, z], sharp }, { corner }) => (sharp
    ? new THREE.BoxGeometry(x, y, z)
    : new RoundedBoxGeometry(x, y, z, corner, 0.07 * Math.min(x, y, z))),
  sphere,
  ellipsoid: ({ size: [p, q, r] }, { ball }) =>
    new THREE.SphereGeometry(1, ball, 2 * Math.round(0.35 * ball)).scale(p, q, r),
  cylinder: ({ size, facets }, detail) => cylinder(size, facets, detail),
  capsule: ({ size: [r, length] }, { cap }) =>
    new THREE.CapsuleGeometry(r, length, ...cap).rotateX(Math.PI / 2),
  bar: ({ size }, detail) => bar(size, detail),
  cone: ({ size }, detail) => cone(size, detail),
  torus: ({ size: [major, minor] }, { tube }) => new THREE.TorusGeometry(major, minor, ...tube),
  coil: ({ size }, detail) => coil(size, detail),
  strut: ({ size }, detail) => strut(size, detail),
  plane: () => new THREE.PlaneGeometry(1, 1),
  mesh,
};

function paletteColor(k) {
  return new THREE.Color(PALETTE[k % PALETTE.length]);
}

function colorOf(shape, limb) {
  if (shape.colors) return new THREE.Color("#ffffff");
  if (shape.color) {
    const [r, g, b] = shape.color;
    const color = new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
    const luminance = 0.2126 * color.r + 0.7152 * color.g + 0.0722 * color.b;
    return color.multiplyScalar(Math.min(BRIGHTEST / Math.max(luminance, 1e-3), 1));
  }
  if (shape.kind === "plane") return new THREE.Color("#c3c9d1");
  if (shape.role === "joint") return new THREE.Color("#3a4048");
  return paletteColor(shape.role ? limb - 1 : shape.body);
}

function material(shape, ghost, { plain, limb }) {
  const opacity = (shape.color?.[3] ?? 1) * (ghost ? 0.35 : 1);
  const gloss = shape.role === "joint" ? { roughness: 0.42, metalness: 0.35 }
    : { roughness: 0.55, metalness: 0.04 };
  const Material = plain ? THREE.MeshLambertMaterial : THREE.MeshStandardMaterial;
  const made = new Material({
    ...(plain ? {} : gloss),
    color: colorOf(shape, limb),
    vertexColors: Boolean(shape.colors),
    flatShading: Boolean(shape.flat || shape.facets),
    side: shape.kind === "mesh" || shape.kind === "plane" ? THREE.DoubleSide : THREE.FrontSide,
    transparent: opacity < 1,
    opacity,
    depthWrite: opacity >= 1,
  });
  return plain ? made : occluded(made);
}

function line(shape, limb) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(shape.points, 3));
  return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colorOf(shape, limb) }));
}

function detailFor({ count, plain }) {
  return count > VERY_MANY || (plain && count > MANY) ? COARSEST : count > MANY ? COARSE : FINE;
}

// `setting` tells how many shapes there are in all, whether they have to be plain, and the limb
// that the shape belongs to.
export function buildShape(shape, ghost, setting) {
  const object = shape.kind === "line"
    ? line(shape, setting.limb)
    : new THREE.Mesh(BUILDERS[shape.kind](shape, detailFor(setting)),
      material(shape, ghost, setting));
  if (shape.pose) {
    object.position.fromArray(shape.pose, 0);
    object.quaternion.fromArray(shape.pose, 3);
  }
  const isClear = (shape.color?.[3] ?? 1) < OPAQUE;
  object.castShadow = shape.kind !== "plane" && shape.kind !== "line" && !ghost && !isClear;
  object.receiveShadow = true;
  if (object.castShadow) occludes(object);
  object.userData = { name: shape.name, shape: true, endless: shape.kind === "plane",
    color: shape.color };
  return object;
}

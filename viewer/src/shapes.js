// Geometry of one visual.  Cylinders and capsules lie along z, as in URDF.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { decodeFloats } from "./data.js";

// Muted, distinguishable on light and dark grounds; bodies take them in turn.
const PALETTE = [
  "#5b7fb5", "#e0995e", "#6aa889", "#c66b6b", "#8f7fbf", "#b59a6a",
  "#d08fb0", "#8d959e", "#b3b06a", "#5fa9b8", "#7c92d6", "#cf8a78",
];

function cylinder(radius, length) {
  const bevel = Math.min(radius, length / 2) * 0.12;
  const [r, h] = [radius, length / 2];
  const profile = [new THREE.Vector2(0, -h)];
  for (let k = 0; k <= 4; k++) {
    const a = (k / 4) * (Math.PI / 2);
    profile.push(new THREE.Vector2(r - bevel + bevel * Math.sin(a), -h + bevel - bevel * Math.cos(a)));
  }
  for (let k = 0; k <= 4; k++) {
    const a = (k / 4) * (Math.PI / 2);
    profile.push(new THREE.Vector2(r - bevel + bevel * Math.cos(a), h - bevel + bevel * Math.sin(a)));
  }
  profile.push(new THREE.Vector2(0, h));
  return new THREE.LatheGeometry(profile, 48).rotateX(Math.PI / 2);
}

function mesh(shape) {
  const soup = new THREE.BufferGeometry();
  soup.setAttribute("position", new THREE.BufferAttribute(decodeFloats(shape.points), 3));
  soup.computeVertexNormals();
  return soup;
}

const BUILDERS = {
  box: ({ size: [x, y, z] }) => new RoundedBoxGeometry(x, y, z, 3, 0.07 * Math.min(x, y, z)),
  sphere: ({ size: [r] }) => new THREE.SphereGeometry(r, 40, 28),
  ellipsoid: ({ size: [a, b, c] }) => new THREE.SphereGeometry(1, 40, 28).scale(a, b, c),
  cylinder: ({ size: [r, length] }) => cylinder(r, length),
  capsule: ({ size: [r, length] }) =>
    new THREE.CapsuleGeometry(r, length, 12, 32).rotateX(Math.PI / 2),
  mesh,
};

function material(shape) {
  const [r, g, b, a] = shape.color ?? [0, 0, 0, 1];
  const color = shape.color
    ? new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace)
    : new THREE.Color(shape.role === "joint" ? "#3a4048" : PALETTE[shape.body % PALETTE.length]);
  return new THREE.MeshStandardMaterial({
    color,
    roughness: shape.role === "joint" ? 0.42 : 0.55,
    metalness: shape.role === "joint" ? 0.35 : 0.04,
    transparent: a < 1,
    opacity: a,
    depthWrite: a >= 1,
  });
}

export function buildShape(shape) {
  const object = new THREE.Mesh(BUILDERS[shape.kind](shape), material(shape));
  object.position.fromArray(shape.pose, 0);
  object.quaternion.fromArray(shape.pose, 3);
  object.castShadow = object.receiveShadow = true;
  object.userData.name = shape.name;
  return object;
}

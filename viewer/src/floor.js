// A ground grid that fades into the distance, and catches shadows.
import * as THREE from "three";
import { occluded, occludes } from "./occlusion.js";

const REACH = 7; // radii

const VERTEX = `
varying vec2 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const FRAGMENT = `
varying vec2 place;
uniform vec3 ink;
uniform vec4 tint;
uniform vec2 centre;
uniform float spacing, reach, strength;
float lines(float step) {
  vec2 cell = place / step;
  vec2 width = max(fwidth(cell), 1e-6);
  vec2 distance = abs(fract(cell - 0.5) - 0.5) / width;
  vec2 cover = clamp(1.2 - distance, 0.0, 1.0) * (1.0 - smoothstep(0.25, 0.6, width));
  return max(cover.x, cover.y);
}
void main() {
  float fade = 1.0 - smoothstep(0.15, 1.0, length(place - centre) / reach);
  float ink_here = max(0.45 * lines(spacing), lines(5.0 * spacing)) * fade * strength;
  float ground = tint.a * fade * (1.0 - ink_here);
  float cover = ink_here + ground;
  gl_FragColor = vec4((ink * ink_here + tint.rgb * ground) / max(cover, 1e-4), cover);
}`;

function niceSpacing(radius) {
  const raw = radius / 4;
  const decade = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((k) => k * decade).find((s) => s >= raw);
}

export class Floor {
  // `tint`: red, green, blue and opacity of the ground, if it has a colour.
  constructor(height, radius, tint, plain) {
    // No larger than what is seen: the grid fades, shadows fall near what casts them.
    const flat = (size) => new THREE.PlaneGeometry(size, size).rotateX(-Math.PI / 2);
    this.tint = new THREE.Vector4(...(tint ?? [0, 0, 0, 0]));
    this.grid = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {
        ink: { value: new THREE.Color() },
        tint: { value: this.tint.clone() },
        centre: { value: new THREE.Vector2() },
        spacing: { value: niceSpacing(radius) },
        reach: { value: REACH * radius },
        strength: { value: 0.4 },
      },
    });
    const grid = new THREE.Mesh(flat(2 * REACH * radius), this.grid);
    const shade = new THREE.ShadowMaterial({ depthWrite: false });
    const catcher = new THREE.Mesh(flat(6 * radius), plain ? shade : occluded(shade));
    catcher.receiveShadow = true;
    occludes(catcher);
    // Both lie a hair below the feet.
    this.gaps = [[grid, 0.001 * radius], [catcher, 0.0015 * radius]];
    this.height = Infinity;
    this.sinkTo(height);
    grid.renderOrder = -2;
    catcher.renderOrder = -1;
    this.shadow = catcher.material;
    this.group = new THREE.Group().add(catcher, grid);
  }

  setTheme(theme) {
    this.grid.uniforms.ink.value.set(theme.ink);
    const { x, y, z, w } = this.tint;
    // A bright ground would swallow the letters of the dark page.
    this.grid.uniforms.tint.value.set(x * theme.ground, y * theme.ground, z * theme.ground, w);
    this.grid.uniforms.strength.value = theme.strength;
    this.shadow.opacity = theme.shadow;
  }

  sinkTo(height) {
    if (!(height < this.height)) return;
    this.height = height;
    for (const [plane, gap] of this.gaps) plane.position.y = height - gap;
  }

  centre(look) {
    this.grid.uniforms.centre.value.set(look.x, look.z);
    this.group.position.set(look.x, 0, look.z);
  }
}

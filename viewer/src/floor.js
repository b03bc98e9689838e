// A ground grid that fades into the distance, and catches shadows.
import * as THREE from "three";

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
  gl_FragColor = vec4(ink, ink_here);
}`;

function niceSpacing(radius) {
  const raw = radius / 4;
  const decade = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((k) => k * decade).find((s) => s >= raw);
}

export class Floor {
  constructor(height, radius) {
    const size = 60 * radius;
    const plane = new THREE.PlaneGeometry(size, size).rotateX(-Math.PI / 2);
    this.grid = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {
        ink: { value: new THREE.Color() },
        centre: { value: new THREE.Vector2() },
        spacing: { value: niceSpacing(radius) },
        reach: { value: 7 * radius },
        strength: { value: 0.4 },
      },
    });
    const grid = new THREE.Mesh(plane, this.grid);
    const catcher = new THREE.Mesh(plane, new THREE.ShadowMaterial({ depthWrite: false }));
    catcher.receiveShadow = true;
    // The shadow lies a hair below the lines, both below the feet.
    grid.position.y = height - 0.001 * radius;
    catcher.position.y = height - 0.0015 * radius;
    catcher.renderOrder = -2;
    grid.renderOrder = -1;
    this.shadow = catcher.material;
    this.group = new THREE.Group().add(catcher, grid);
  }

  setTheme(theme) {
    this.grid.uniforms.ink.value.set(theme.ink);
    this.grid.uniforms.strength.value = theme.strength;
    this.shadow.opacity = theme.shadow;
  }

  centre(look) {
    this.grid.uniforms.centre.value.set(look.x, look.z);
    this.group.position.set(look.x, 0, look.z);
  }
}

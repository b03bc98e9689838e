// Renderer, light, floor and camera.  The stage is y-up; the machine is turned to fit it.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";

const FLOOR_VERTEX = `
varying vec2 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const FLOOR_FRAGMENT = `
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

const THEMES = {
  light: { ink: "#5b6675", strength: 0.34, shadow: 0.3, environment: 0.62, sun: 2.3 },
  dark: { ink: "#a9b6c8", strength: 0.26, shadow: 0.6, environment: 0.42, sun: 1.9 },
};

function niceSpacing(radius) {
  const raw = radius / 4;
  const decade = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((k) => k * decade).find((s) => s >= raw);
}

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({
      canvas, antialias: true, alpha: true, preserveDrawingBuffer: true,
    });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.scene = new THREE.Scene();
    const pmrem = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = pmrem.fromScene(new RoomEnvironment(), 0.04).texture;
    this.camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.enableDamping = false;
    this.orbit.maxPolarAngle = 0.94 * Math.PI;
    this.sun = new THREE.DirectionalLight("#fff6ea", 2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.scene.add(this.sun, this.sun.target);
    this.follow = new THREE.Vector3();
  }

  addFloor(height, radius) {
    this.radius = radius;
    const size = 60 * radius;
    const plane = new THREE.PlaneGeometry(size, size).rotateX(-Math.PI / 2);
    this.grid = new THREE.ShaderMaterial({
      vertexShader: FLOOR_VERTEX,
      fragmentShader: FLOOR_FRAGMENT,
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
    this.shadowMaterial = catcher.material;
    this.scene.add(catcher, grid);
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -2.2 * radius;
    box.right = box.top = 2.2 * radius;
    box.near = 0.1 * radius;
    box.far = 16 * radius;
    this.sun.shadow.normalBias = 0.006 * radius;
    this.sun.shadow.bias = -0.0002;
  }

  setTheme(name) {
    const theme = THEMES[name];
    this.grid.uniforms.ink.value.set(theme.ink);
    this.grid.uniforms.strength.value = theme.strength;
    this.shadowMaterial.opacity = theme.shadow;
    this.scene.environmentIntensity = theme.environment;
    this.sun.intensity = theme.sun;
  }

  fit(centre, radius) {
    this.resize();
    const half = Math.min(this.camera.fov / 2, Math.atan(Math.tan(this.camera.fov * Math.PI / 360)
      * this.camera.aspect) * 180 / Math.PI) * Math.PI / 180;
    const away = new THREE.Vector3(0.95, 0.36, 1).normalize();
    const distance = 1.14 * radius / Math.sin(half);
    this.orbit.target.copy(centre).add(this.follow);
    this.camera.position.copy(this.orbit.target).addScaledVector(away, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.orbit.minDistance = 0.05 * radius;
    this.orbit.maxDistance = 30 * radius;
    this.orbit.update();
  }

  followTo(offset) {
    const step = offset.clone().sub(this.follow);
    this.follow.copy(offset);
    this.camera.position.add(step);
    this.orbit.target.add(step);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (this.width === width && this.height === height && this.ratio === ratio) return;
    Object.assign(this, { width, height, ratio });
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  render() {
    this.resize();
    const look = this.orbit.target;
    this.sun.target.position.copy(look);
    this.sun.position.set(look.x + 1.9 * this.radius, look.y + 5.2 * this.radius,
      look.z + 2.6 * this.radius);
    this.grid.uniforms.centre.value.set(look.x, look.z);
    this.renderer.render(this.scene, this.camera);
  }
}

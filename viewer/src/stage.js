// Renderer, lights and floor.  The stage is y-up; machines are turned to fit it.
import * as THREE from "three";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { Floor } from "./floor.js";
import { Occlusion } from "./occlusion.js";
import { View } from "./view.js";

// Drawn without a graphics card, a motion that is watched has to be plain to be fluid.
function isDrawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

const SUN = new THREE.Vector3(1.9, 5.2, 2.6); // from what is looked at, in radii
const SUN_TURN = new THREE.Quaternion().setFromRotationMatrix(
  new THREE.Matrix4().lookAt(SUN, new THREE.Vector3(), new THREE.Vector3(0, 1, 0)));
const SHADE = 2.2; // radii around what is looked at that have shadows
const LEVELS = 12;
const USUAL = 6;
const THEMES = {
  light: { ink: "#5b6675", strength: 0.34, ground: 1, shadow: 0.3, environment: 0.62, sun: 2.3 },
  dark: { ink: "#a9b6c8", strength: 0.26, ground: 0.3, shadow: 0.6, environment: 0.42, sun: 1.9 },
};

export class Stage {
  // `isStill`: opened for a picture of a moment, which may take its time.
  constructor(canvas, isStill) {
    this.canvas = canvas;
    this.plain = !isStill && isDrawnBySoftware();
    document.documentElement.classList.toggle("plain", this.plain);
    this.renderer = new THREE.WebGLRenderer({
      canvas, antialias: !this.plain, alpha: true, preserveDrawingBuffer: !this.plain,
    });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = this.plain ? THREE.BasicShadowMap : THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.scene = new THREE.Scene();
    this.#surround();
    this.view = new View(canvas);
    this.sun = new THREE.DirectionalLight("#fff6ea", 2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(this.plain ? 1024 : 2048);
    this.sun.shadow.radius = 4;
    this.lamp = new THREE.DirectionalLight("#ffffff", 0);
    this.scene.add(this.sun, this.sun.target, this.lamp, this.lamp.target);
    this.levels = { sun: USUAL, lamp: 0 };
    this.resolution = 1;
  }

  // Light from everywhere: a room, or where that costs too much, sky and ground.
  #surround() {
    if (this.plain) {
      this.sky = new THREE.HemisphereLight("#ffffff", "#b9bec6", 1);
      this.scene.add(this.sky);
    } else {
      this.#light();
      // A graphics card that was taken away forgets what was drawn on it: the room, too.
      this.canvas.addEventListener("webglcontextrestored", () => this.#light());
    }
  }

  #light() {
    const pmrem = new THREE.PMREMGenerator(this.renderer);
    const size = 64; // pixels of a side of the room; `build.mjs` permits so few
    this.scene.environment =
      pmrem.fromScene(new RoomEnvironment(), 0.04, 0.1, 100, { size }).texture;
  }

  addFloor(height, radius, hidden, tint) {
    this.radius = radius;
    this.floor = new Floor(height, radius, tint, this.plain);
    if (!this.plain) this.occlusion = new Occlusion(radius);
    this.floor.group.visible = !hidden;
    this.scene.add(this.floor.group);
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -SHADE * radius;
    box.right = box.top = SHADE * radius;
    box.near = 0.1 * radius;
    box.far = 16 * radius;
    this.sun.shadow.normalBias = 0.006 * radius;
    this.sun.shadow.bias = -0.0002;
  }

  setTheme(name) {
    this.theme = THEMES[name];
    this.floor.setTheme(this.theme);
    this.#shine();
  }

  // Light from above and from the camera, each in twelve levels.
  brighten(light, by) {
    this.levels[light] = Math.min(Math.max(this.levels[light] + by, 0), LEVELS - 1);
    this.#shine();
  }

  #shine() {
    this.scene.environmentIntensity = this.theme.environment;
    if (this.sky) this.sky.intensity = 4.2 * this.theme.environment;
    this.sun.intensity = (this.theme.sun * this.levels.sun) / USUAL;
    this.lamp.intensity = (2 * this.levels.lamp) / USUAL;
  }

  // Fewer pixels while a slow machine plays; a still picture always has all of them.
  setResolution(resolution) {
    this.resolution = resolution;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    // Without smoothing of edges, a still has it from a larger picture.
    const least = this.plain && this.resolution === 1 && !this.moves ? 2 : 1;
    const ratio = Math.max(Math.min(window.devicePixelRatio || 1, 2), least) * this.resolution;
    if (this.width === width && this.height === height && this.ratio === ratio) return;
    Object.assign(this, { width, height, ratio });
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.view.resize(width, height);
  }

  // Of what moves every other shadow is enough, where each costs as much as a picture.
  #castShadows() {
    const { shadowMap } = this.renderer;
    this.rest = !this.rest && this.plain && this.moves;
    shadowMap.autoUpdate = !this.rest;
  }

  // By whole texels of the shadow, whose edges would shimmer otherwise.
  #followWithSun(look) {
    const { sun } = this;
    const texel = (2 * SHADE * this.radius) / sun.shadow.mapSize.x;
    const target = look.clone().applyQuaternion(SUN_TURN.clone().invert());
    target.x = Math.round(target.x / texel) * texel;
    target.y = Math.round(target.y / texel) * texel;
    sun.target.position.copy(target.applyQuaternion(SUN_TURN));
    sun.position.copy(sun.target.position).addScaledVector(SUN, this.radius);
  }

  render() {
    this.resize();
    const look = this.view.target;
    this.#followWithSun(look);
    this.lamp.position.copy(this.view.camera.position);
    this.lamp.target.position.copy(look);
    this.floor.centre(look);
    this.#castShadows();
    this.view.draw(() => {
      this.occlusion?.update(this.renderer, this.scene, this.view.camera);
      this.renderer.render(this.scene, this.view.camera);
    });
  }
}


// Ambient occlusion: what lies near a surface keeps light of the surroundings from it.
//
// The depth of what casts shadows is drawn with half the pixels. From it the share of the
// surroundings that each point sees is estimated, as in McGuire, Mara and Luebke, "Scalable Ambient
// Obscurance" (2012), and materials multiply their ambient light by it. So highlights and shadows of
// the sun stay, and edges stay smooth.
import * as THREE from "three";

const CASTERS = 1; // layer of what occludes
const REACH = 0.16; // radii; what is farther does not count
const STRENGTH = 1.1;
const ON_FLOOR = 0.6; // of that, on a floor that shows nothing but shade

const shared = { occlusion: { value: null }, occlusionTexel: { value: new THREE.Vector2() } };

const LOOKUP = `
uniform sampler2D occlusion;
uniform vec2 occlusionTexel;
float seen() { // the mean of the sixteen directions in which neighbours look
  vec2 uv = floor(0.5 * gl_FragCoord.xy + 0.5) * occlusionTexel;
  float sum = 0.0;
  for (int k = 0; k < 4; k++)
    sum += texture2D(occlusion, uv + (vec2(k & 1, k >> 1) * 2.0 - 1.0) * occlusionTexel).r;
  return 0.25 * sum;
}`;
const AMBIENT = `#include <aomap_fragment>
float seenHere = seen();
reflectedLight.indirectDiffuse *= seenHere;
reflectedLight.indirectSpecular *= seenHere;`;
const SHADE = "opacity * ( 1.0 - getShadowMask() )";
const SHADE_SEEN = `1.0 - (1.0 - ${SHADE}) * mix(1.0, seen(), ${ON_FLOOR.toFixed(2)})`;

const VERTEX = "void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }";
const FRAGMENT = `
uniform sampler2D depth;
uniform mat4 view, back;
uniform vec2 texel;
uniform float reach, strength;
const int SAMPLES = 10;
vec3 at(vec2 uv) {
  vec4 place = back * vec4(vec3(uv, texture2D(depth, uv).r) * 2.0 - 1.0, 1.0);
  return place.xyz / place.w;
}
vec3 slope(vec3 here, vec2 uv, vec2 step) { // towards the side that lies nearer
  vec3 after = at(uv + step) - here, before = here - at(uv - step);
  return abs(after.z) < abs(before.z) ? after : before;
}
void main() {
  vec2 uv = gl_FragCoord.xy * texel;
  gl_FragColor = vec4(1.0);
  if (texture2D(depth, uv).r == 1.0) return;
  vec3 here = at(uv);
  vec3 normal = normalize(cross(slope(here, uv, vec2(texel.x, 0.0)), slope(here, uv, vec2(0.0, texel.y))));
  ivec2 cell = ivec2(gl_FragCoord.xy) & 3;
  float turn = float(cell.x * 4 + (cell.y * 5 & 15)) * 0.3927;
  vec2 size = 0.5 * reach * vec2(view[0][0], view[1][1]) / -here.z;
  float sum = 0.0;
  for (int k = 0; k < SAMPLES; k++) {
    float share = (float(k) + 0.5) / float(SAMPLES), angle = 2.4 * float(k) + turn;
    vec3 way = at(uv + share * size * vec2(cos(angle), sin(angle))) - here;
    float square = dot(way, way) / (reach * reach), near = max(1.0 - square, 0.0);
    sum += near * near * near * max(dot(way, normal) / reach - 0.02, 0.0) / (square + 0.01);
  }
  gl_FragColor = vec4(vec3(max(1.0 - strength * 2.0 * sum / float(SAMPLES), 0.0)), 1.0);
}`;

// A material whose ambient light is what the surroundings of each point leave of it.
export function occluded(material) {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, shared);
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\n${LOOKUP}`)
      .replace("#include <aomap_fragment>", AMBIENT)
      .replace(SHADE, SHADE_SEEN);
  };
  return material;
}

export function occludes(object) {
  object.layers.enable(CASTERS);
}

export class Occlusion {
  constructor(radius) {
    const target = (options) => new THREE.WebGLRenderTarget(1, 1, options);
    this.depth = target({ depthTexture: new THREE.DepthTexture(1, 1) });
    this.seen = target({ depthBuffer: false });
    this.flat = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, colorWrite: false });
    this.estimate = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      depthTest: false,
      uniforms: {
        depth: { value: this.depth.depthTexture },
        view: { value: null },
        back: { value: null },
        texel: shared.occlusionTexel,
        reach: { value: REACH * radius },
        strength: { value: STRENGTH },
      },
    });
    this.screen = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.estimate);
    this.screen.frustumCulled = false;
    shared.occlusion.value = this.seen.texture;
  }

  update(renderer, scene, camera) {
    const size = renderer.getDrawingBufferSize(new THREE.Vector2()).multiplyScalar(0.5).ceil();
    for (const target of [this.depth, this.seen]) target.setSize(size.x, size.y);
    shared.occlusionTexel.value.set(1 / size.x, 1 / size.y);
    const { autoUpdate } = renderer.shadowMap;
    renderer.shadowMap.autoUpdate = false;
    scene.overrideMaterial = this.flat;
    camera.layers.set(CASTERS);
    renderer.setRenderTarget(this.depth);
    renderer.render(scene, camera);
    scene.overrideMaterial = null;
    camera.layers.set(0);
    const { uniforms } = this.estimate;
    uniforms.view.value = camera.projectionMatrix;
    uniforms.back.value = camera.projectionMatrixInverse;
    renderer.setRenderTarget(this.seen);
    renderer.render(this.screen, camera);
    renderer.setRenderTarget(null);
    renderer.shadowMap.autoUpdate = autoUpdate;
  }
}

// A spring or damper between points of two bodies: as long as these are apart.
import * as THREE from "three";

const Z = new THREE.Vector3(0, 0, 1);

export class Stretched {
  constructor({ ends, size }, bodies, object) {
    const [a, b] = ends.map(([body, point]) => ({
      body: bodies[body], point: new THREE.Vector3().fromArray(point),
    }));
    Object.assign(this, { a, b, base: bodies[0], object, length: size[1] });
    this.base.add(object);
  }

  // Turned the shortest way from where it pointed first: then it does not spin about itself.
  place() {
    const from = this.#end(this.a);
    const way = this.#end(this.b).sub(from);
    const length = way.length();
    this.object.position.copy(from);
    this.object.scale.z = Math.max(length / this.length, 1e-6);
    if (length > 0) {
      way.divideScalar(length);
      this.first ??= { way: way.clone(), turn: new THREE.Quaternion().setFromUnitVectors(Z, way) };
      this.object.quaternion.setFromUnitVectors(this.first.way, way).multiply(this.first.turn);
    }
    this.object.updateWorldMatrix(false, true);
  }

  #end({ body, point }) {
    return this.base.worldToLocal(body.localToWorld(point.clone()));
  }
}

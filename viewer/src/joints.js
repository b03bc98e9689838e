// Joints set by hand: a body's pose is its rest pose times exponentials of its joint's axes.
import * as THREE from "three";

const SMALL = 1e-9; // radians; below, a screw is a translation

// exp of sum s_k x_k, for rows of a coordinate k and an axis s_k, angular part first.
function exponential(step, values) {
  const turn = new THREE.Vector3();
  const shift = new THREE.Vector3();
  for (const [k, ...axis] of step) {
    turn.addScaledVector(new THREE.Vector3().fromArray(axis), values[k]);
    shift.addScaledVector(new THREE.Vector3().fromArray(axis, 3), values[k]);
  }
  const angle = turn.length();
  if (angle < SMALL) return { rotation: new THREE.Quaternion(), shift };
  const n = turn.divideScalar(angle);
  const rotation = new THREE.Quaternion().setFromAxisAngle(n, angle);
  const across = new THREE.Vector3().crossVectors(n, shift);
  const along = n.dot(shift);
  shift.multiplyScalar(Math.sin(angle) / angle)
    .addScaledVector(across, (1 - Math.cos(angle)) / angle)
    .addScaledVector(n, (1 - Math.sin(angle) / angle) * along);
  return { rotation, shift };
}

// Sets the groups of the bodies, without the base, to the poses that belong to the values.
export function placeBodies(bodies, { rests, screws }, values) {
  bodies.forEach((body, i) => {
    body.position.fromArray(rests[i]);
    body.quaternion.fromArray(rests[i], 3);
    for (const step of screws[i]) {
      const { rotation, shift } = exponential(step, values);
      body.position.add(shift.applyQuaternion(body.quaternion));
      body.quaternion.multiply(rotation);
    }
  });
}

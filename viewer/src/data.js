// The recording as the page carries it: one JSON block, arrays as base64 Float32.

export function decodeFloats(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

export function readRecording(id = "recording") {
  const data = JSON.parse(document.getElementById(id).textContent);
  data.poses = decodeFloats(data.poses);
  if (data.energy) {
    for (const name of ["times", "kinetic", "potential", "total"]) {
      data.energy[name] = decodeFloats(data.energy[name]);
    }
  }
  return data;
}

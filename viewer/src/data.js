// The page's data: names and numbers as JSON, arrays in one zipped block that JSON points into.

async function unzip(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).arrayBuffer());
}

const KINDS = { f4: Float32Array, u2: Uint16Array, u4: Uint32Array };

// An array of numbers; those of kind "share" are 16-bit shares of a range.
function plain(block, { kind, at, count, low, high }) {
  if (kind !== "share") return new KINDS[kind](block, at, count);
  const span = (high - low) / 65534;
  return Float32Array.from(new Uint16Array(block, at, count), (x) =>
    (x === 65535 ? NaN : low + x * span));
}

// Poses are whole numbers of a quantum: second differences in time, sign in the lowest bit,
// split into byte planes, each channel's frames side by side.
function poses(block, { at, channels, frames, quanta }) {
  const count = frames * channels;
  const planes = new Uint8Array(block, at, 4 * count);
  const values = new Float32Array(count);
  for (let c = 0; c < channels; c++) {
    const quantum = quanta[c % 7 < 3 ? 0 : 1];
    let value = 0;
    let slope = 0;
    for (let t = 0; t < frames; t++) {
      const k = c * frames + t;
      const raw = (planes[k] | (planes[count + k] << 8) | (planes[2 * count + k] << 16)
        | (planes[3 * count + k] << 24)) >>> 0;
      const change = raw & 1 ? -(raw + 1) / 2 : raw / 2;
      if (t === 0) value = change;
      else {
        slope += change;
        value += slope;
      }
      values[t * channels + c] = value * quantum;
    }
  }
  return values;
}

// Replaces every pointer into the block by the array it points to.
function resolve(node, block) {
  if (Array.isArray(node)) return node.map((item) => resolve(item, block));
  if (node === null || typeof node !== "object") return node;
  if (node.kind === "poses") return poses(block, node);
  if ("at" in node && node.kind) return plain(block, node);
  return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, resolve(item, block)]));
}

export async function readData(id = "recording") {
  const { block, ...data } = JSON.parse(document.getElementById(id).textContent);
  return resolve(data, await unzip(block));
}

// The contact solver of the library, which LLVM compiled to WebAssembly: it has branches and
// loops, and memory of its own.

const PAGE = 65536; // bytes

// The upper half counts where a product is checked for overflow.
function multiplyWide(memory, to, ...[low, high, otherLow, otherHigh]) {
  const wide = (a, b) => (BigInt.asUintN(64, b) << 64n) | BigInt.asUintN(64, a);
  const product = wide(low, high) * wide(otherLow, otherHigh);
  const view = new DataView(memory.buffer);
  view.setBigUint64(to, BigInt.asUintN(64, product), true);
  view.setBigUint64(to + 8, BigInt.asUintN(64, product >> 64n), true);
}

class Solver {
  static async load({ wasm, image, stack, ...data }) {
    const memory = new WebAssembly.Memory({ initial: data.memory / PAGE });
    const env = {
      __linear_memory: memory,
      __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, stack),
      __multi3: (...given) => multiplyWide(memory, ...given),
      malloc: () => 0, // no more than what the memory has from the start
      free: () => {},
      hypot: Math.hypot,
      atan2: Math.atan2,
      sin: Math.sin,
      cos: Math.cos,
    };
    const { instance } = await WebAssembly.instantiate(bytesOf(wasm), { env });
    new Uint8Array(memory.buffer).set(bytesOf(image), stack);
    return new Solver(instance.exports.run, memory, data);
  }

  constructor(run, memory, { places, arena }) {
    Object.assign(this, { call: run, memory, places, arena });
  }

  // An array of the solver, where it lies.
  array(name) {
    const [address, count] = this.places[name];
    return new Float64Array(this.memory.buffer, address, count);
  }

  // Impulses and velocities for rows by name, and the residual; x is the warm start.
  run(rows) {
    for (const [name, values] of Object.entries(rows)) this.array(name).set(values);
    const [fields] = this.arena;
    const free = fields + 8 * this.arena[1];
    const arena = new BigInt64Array(this.memory.buffer, fields, this.arena[1]);
    arena.fill(0n);
    arena.set([BigInt(Math.ceil(free / 16) * 16), BigInt(this.memory.buffer.byteLength)]);
    this.call(fields, this.places.in[0], this.places.out[0]);
    return { x: this.array("x").slice(), v: this.array("v").slice(), residual: this.array("out")[0] };
  }
}

// The compiled programs: arrays in, arrays out.

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

class Programs {
  static async load({ wasm, programs }) {
    const { instance } = await WebAssembly.instantiate(bytesOf(wasm), { Math });
    return new Programs(instance.exports, programs);
  }

  constructor(functions, signatures) {
    this.functions = functions;
    this.signatures = signatures;
  }

  // The outputs of a program for inputs by name; those without a value are zero.
  run(name, values) {
    const { inputs, outputs } = this.signatures[name];
    const { memory, free } = this.functions;
    const addresses = [];
    let end = free.value;
    const place = (size) => {
      addresses.push(end);
      const array = new Float64Array(memory.buffer, end, size);
      end += 8 * size;
      return array;
    };
    for (const [input, size] of inputs) {
      const array = place(size);
      if (values[input]) array.set(values[input]);
      else array.fill(0);
    }
    const found = outputs.map(place);
    this.functions[name](...addresses);
    return found.map((array) => array.slice());
  }
}

// Runs a function of a module on the states in a file:
// node run.mjs MODULE FUNCTION FILE N_STATES N_INPUTS LENGTH...
import fs from "node:fs";

const [module, name, states, ...sizes] = process.argv.slice(2);
const [nStates, nInputs, ...lengths] = sizes.map(Number);
const bytes = fs.readFileSync(states);
const given = new Float64Array(new Uint8Array(bytes).buffer);
const { instance } = await WebAssembly.instantiate(fs.readFileSync(module), { Math });
const { memory, free, [name]: run } = instance.exports;

const addresses = [];
let end = free.value;
for (const length of lengths) {
  addresses.push(end);
  end += 8 * length;
}
const inputs = lengths.slice(0, nInputs).reduce((a, b) => a + b, 0);
const outputs = lengths.slice(nInputs).reduce((a, b) => a + b, 0);
const numbers = new Float64Array(memory.buffer, free.value, inputs + outputs);
const found = new Float64Array(nStates * outputs);
for (let k = 0; k < nStates; ++k) {
  numbers.fill(-77);
  numbers.set(given.subarray(k * inputs, (k + 1) * inputs));
  run(...addresses);
  found.set(numbers.subarray(inputs), k * outputs);
}
process.stdout.write(Buffer.from(found.buffer));

// Holds an OpenUSD file of ours against the parser of TinyUSDZ: it must read the file, and every array and time sample
// that it found must be there and hold the same numbers.
//
//     node usda_peer.mjs FOLDER_OF_TINYUSDZ FILE.usda
//
// The package gives no access to the arrays of a BasisCurves, but it writes out what it has read (layerToString).
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, file] = process.argv.slice(2);

// The package is built for browsers only: look like one.
globalThis.window = globalThis;
process.type = 'renderer';
const { default: start } = await import(pathToFileURL(resolve(folder, 'tinyusdz.js')));
const code = readFileSync(resolve(folder, 'tinyusdz.wasm'));
const module = await start({
    instantiateWasm(imports, done) {
        WebAssembly.instantiate(code, imports).then(made => done(made.instance, made.module));
        return {};
    },
});

const number = /-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g;

// name of array or time sample -> numbers, by prim
function arrays(text) {
    const found = new Map();
    let prim = '', samples = '';
    for (const line of text.split('\n')) {
        const def = line.match(/def \w+ "(\w+)"/);
        const array = line.match(/([\w.]+) = \[(.*)\]/);
        const sample = line.match(/^\s*([\d.]+): \[(.*)\]/);
        const open = line.match(/(\w+)\.timeSamples = \{/);
        const scalar = line.match(/^\s*(metersPerUnit|timeCodesPerSecond|startTimeCode|endTimeCode) = (\S+)/);
        if (def) prim = def[1];
        else if (open) samples = open[1];
        else if (sample) found.set(`${prim}.${samples}@${Number(sample[1])}`, sample[2].match(number).map(Number));
        else if (array) found.set(`${prim}.${array[1]}`, array[2].match(number).map(Number));
        else if (scalar) found.set(scalar[1], [Number(scalar[2])]);
    }
    return found;
}

function fail(text) {
    console.log(`${file}: ${text}`);
    process.exit(1);
}

const ours = readFileSync(file);
const loader = new module.TinyUSDZLoaderNative();
if (!loader.loadAsLayerFromBinary(ours, 'peer.usda')) fail(`is refused: ${loader.error()}`);
if (!new module.TinyUSDZLoaderNative().loadFromBinary(ours, 'peer.usda')) fail('is no stage');

const written = arrays(ours.toString()), read = arrays(loader.layerToString());
if (written.size !== read.size) fail(`${written.size} arrays were written, ${read.size} were read`);
let numbers = 0;
for (const [name, values] of written) {
    const others = read.get(name);
    if (!others) fail(`${name} was not read`);
    if (others.length !== values.length) fail(`${name}: ${others.length} numbers instead of ${values.length}`);
    values.forEach((value, i) => {
        if (!(Math.abs(value - others[i]) <= 1e-6 * Math.max(1e-3, Math.abs(value))))
            fail(`${name}: number ${i} is ${others[i]} instead of ${value}`);
    });
    numbers += values.length;
}
console.log(`${written.size} arrays, ${numbers} numbers`);

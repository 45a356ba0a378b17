import { compareWithModel } from '../matching/compare-with-model.js';

compareWithModel(Number(process.env['RECON_PROPERTY_RUNS'] ?? 80));

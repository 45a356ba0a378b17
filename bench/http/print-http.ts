import type { HttpMeasurement, ServerFigures } from './measure-http.js';

export function printHttp({
  request,
  connections,
  gateway,
  reference,
  ratio,
  cpuRatio,
}: HttpMeasurement): string {
  const cpu = cpuRatio === null ? '' : `, ${cpuRatio.toFixed(2)} by CPU time`;
  return `
${request}, ${connections} connection${connections === 1 ? '' : 's'}: ${ratio.toFixed(2)} of the reference${cpu}
  gateway    ${describe(gateway)}
  reference  ${describe(reference)}
`;
}

function describe({ perSecond, p50Ms, p99Ms, cpuMs, databaseCpuMs }: ServerFigures): string {
  const ms = (value: number | null) => (value === null ? 'unknown' : `${value.toFixed(2)} ms`);
  return `${Math.round(perSecond)}/s, p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}, CPU per request ${ms(cpuMs)} and PostgreSQL's ${ms(databaseCpuMs)}`;
}

/**
 * Named points at which a test lets the process die for real (SIGKILL, no clean-up), to prove that the next
 * run repairs what was left. They do nothing unless armed, which only the command line does, from
 * RECON_FAIL_AT=`name` or `name:n` (the n-th time that the point is passed).
 */
let armed: { name: string; remaining: number } | undefined;

/** Arms one point; undefined disarms. */
export function armFailPoint(specification: string | undefined): void {
  if (specification === undefined) {
    armed = undefined;
    return;
  }
  const [name = '', count = '1'] = specification.split(':');
  armed = { name, remaining: Number(count) };
}

/** Dies here when this point is armed and its turn has come. */
export function failPoint(name: string): void {
  if (armed?.name !== name) return;
  armed.remaining -= 1;
  if (armed.remaining <= 0) process.kill(process.pid, 'SIGKILL');
}

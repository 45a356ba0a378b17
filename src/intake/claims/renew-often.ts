/**
 * Renews leases three times in their length, until the timer is cleared. A failure is not reported: if it lasts, the
 * lease ends, the database then refuses what is written under it, and somebody else does the work.
 */
export function renewOften(leaseSeconds: number, renew: () => Promise<unknown>): NodeJS.Timeout {
  // One at a time: each would open another connection while the server does not answer.
  let renewing: Promise<unknown> | undefined;
  const timer = setInterval(
    () => {
      renewing ??= renew()
        .catch(() => undefined)
        .finally(() => (renewing = undefined));
    },
    (leaseSeconds * 1000) / 3,
  );
  return timer.unref();
}
